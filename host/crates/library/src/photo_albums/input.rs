//! Validation of requests about photo albums.

use std::collections::HashSet;

use super::{PhotoAlbums, PhotoResult, limits};
use svc_domain::id::{PhotoId, UserId};
use svc_domain::photo_album::{AlbumPhotoOutcome, PhotoAlbumPatch};
use svc_identity::actor::Actor;
use svc_identity::error::{FieldError, Result, ServiceError};
use svc_identity::names::check_display_name;

/// Input of a new or changed album; `None` leaves a field unchanged.
#[derive(Debug, Default)]
pub struct AlbumInput {
    /// Title.
    pub name: Option<String>,
    /// Text; `Some(None)` removes it.
    pub description: Option<Option<String>>,
    /// Whether all users with `PhotoAlbums.Read` may see it.
    pub everyone: Option<bool>,
    /// Replaces the accounts that may see it.
    pub shared_with: Option<Vec<String>>,
    /// Cover photo; `Some(None)` selects the first photo.
    pub cover: Option<Option<String>>,
}

/// Trims and checks a description; an empty one becomes `None`.
pub(crate) fn check_description(
    description: Option<Option<String>>,
    errors: &mut Vec<FieldError>,
) -> Option<Option<String>> {
    let text = description?.map(|text| text.trim().to_owned());
    let text = text.filter(|text| !text.is_empty());
    if let Some(text) = &text {
        if text.chars().count() > limits::DESCRIPTION {
            errors.push(FieldError::new(
                "description",
                "must have at most 2000 characters",
            ));
        } else if text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
            errors.push(FieldError::new(
                "description",
                "must not contain control characters",
            ));
        }
    }
    Some(text)
}

/// Parses account ids without checking that they exist.
fn parse_users(texts: &[String], errors: &mut Vec<FieldError>) -> Vec<UserId> {
    if texts.len() > limits::SHARED_WITH {
        errors.push(FieldError::new("sharedWith", "must be at most 200"));
        return Vec::new();
    }
    let mut users = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        match text.parse() {
            Ok(user) => users.push(user),
            Err(_) => errors.push(FieldError::new(
                format!("sharedWith[{index}]"),
                "must be the id of a user",
            )),
        }
    }
    users
}

/// Parses photo ids, without duplicates; also returns the texts that are no ids.
pub(super) fn parse(photos: &[String]) -> (Vec<PhotoId>, HashSet<&str>) {
    let (mut ids, mut seen, mut others) = (Vec::new(), HashSet::new(), HashSet::new());
    for text in photos {
        match text.parse::<PhotoId>() {
            Ok(id) if seen.insert(id) => ids.push(id),
            Ok(_) => {}
            Err(_) => {
                others.insert(text.as_str());
            }
        }
    }
    (ids, others)
}

/// The result for each photo, in the order and spelling of the request, without duplicates.
pub(super) fn results(
    outcomes: Vec<(PhotoId, AlbumPhotoOutcome)>,
    others: HashSet<&str>,
) -> Vec<PhotoResult> {
    let known = outcomes
        .into_iter()
        .map(|(id, outcome)| (id.to_string(), outcome));
    let mut others: Vec<_> = others.into_iter().map(str::to_owned).collect();
    others.sort_unstable();
    let unknown = others
        .into_iter()
        .map(|text| (text, AlbumPhotoOutcome::NoSuchPhoto));
    known.chain(unknown).collect()
}

impl PhotoAlbums {
    /// Validates the input without checking that accounts and cover exist.
    pub(super) fn check(input: AlbumInput) -> Result<PhotoAlbumPatch> {
        let mut errors = Vec::new();
        let name = match input.name.as_deref().map(check_display_name).transpose() {
            Ok(name) => name,
            Err(message) => {
                errors.push(FieldError::new("name", message));
                None
            }
        };
        let description = check_description(input.description, &mut errors);
        let users = input.shared_with.map(|texts| parse_users(&texts, &mut errors));
        let cover = match input
            .cover
            .map(|cover| cover.map(|text| text.parse()).transpose())
        {
            Some(Ok(cover)) => Some(cover),
            Some(Err(_)) => {
                errors.push(FieldError::new(
                    "coverPhotoId",
                    "must be the id of a photo, or null",
                ));
                None
            }
            None => None,
        };
        if !errors.is_empty() {
            return Err(ServiceError::Invalid(errors));
        }
        Ok(PhotoAlbumPatch {
            name,
            description,
            everyone: input.everyone,
            users,
            cover,
        })
    }

    /// Checks the accounts of a request; removes duplicates and the owner, who always sees the album.
    pub(super) async fn known_users(
        &self,
        actor: &Actor,
        users: Option<Vec<UserId>>,
    ) -> Result<Option<Vec<UserId>>> {
        let Some(users) = users else {
            return Ok(None);
        };
        let known = self.users.known_users(&users).await?;
        let unknown = users.iter().enumerate().filter(|(_, user)| !known.contains(user));
        let errors: Vec<FieldError> = unknown
            .map(|(index, _)| FieldError::new(format!("sharedWith[{index}]"), "there is no such user"))
            .collect();
        if !errors.is_empty() {
            return Err(ServiceError::Unknown(errors));
        }
        let mut users: Vec<UserId> = known.into_iter().filter(|user| *user != actor.user.id).collect();
        users.sort_unstable();
        Ok(Some(users))
    }
}
