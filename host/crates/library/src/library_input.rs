//! Validation of libraries in requests: names, folders, grants.

use svc_domain::library::Grant;
use svc_domain::path::RelativePath;
use svc_identity::error::{FieldError, Result, ServiceError};
use svc_identity::names::{check_display_name, check_role_name};
use svc_identity::roles::find_role;
use svc_store::IdentityChange;

/// A grant as the client sent it: exactly one field is set.
#[derive(Debug, Clone, Default)]
pub struct NewGrant {
    /// Id of an account.
    pub user: Option<String>,
    /// Name of a role.
    pub role: Option<String>,
}

/// Input of [`crate::libraries::Libraries::create`].
#[derive(Debug)]
pub struct NewLibrary {
    /// Its name.
    pub name: String,
    /// Media kind.
    pub kind: String,
    /// Folders; empty for all media of the kind.
    pub paths: Vec<String>,
    /// Grants; empty if the library is open to all.
    pub grants: Vec<NewGrant>,
}

/// Input of [`crate::libraries::Libraries::update`]; `None` leaves a field unchanged.
#[derive(Debug, Default)]
pub struct LibraryPatch {
    /// Its name.
    pub name: Option<String>,
    /// Replaces all folders.
    pub paths: Option<Vec<String>>,
    /// Replaces all grants; an empty list opens the library to all.
    pub grants: Option<Vec<NewGrant>>,
}

/// Maximum of paths and of grants per library.
const MAX_ITEMS: usize = 200;

pub(super) fn check_name(name: &str) -> Result<String> {
    check_display_name(name).map_err(|message| ServiceError::invalid("name", message))
}

/// Sorts the paths of a request and drops those below others.
pub(super) fn check_paths(texts: &[String]) -> Result<Vec<RelativePath>> {
    if texts.len() > MAX_ITEMS {
        return Err(ServiceError::invalid("paths", "must be at most 200"));
    }
    let mut paths: Vec<RelativePath> = Vec::new();
    let mut errors = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        match RelativePath::parse(text) {
            Some(path) => paths.push(path),
            None => errors.push(FieldError::new(
                format!("paths[{index}]"),
                "must be a path below the media directories, such as Family/2020",
            )),
        }
    }
    if !errors.is_empty() {
        return Err(ServiceError::Invalid(errors));
    }
    if paths.is_empty() {
        paths.push(RelativePath::root());
    }
    paths.sort();
    paths.dedup();
    let all = paths.clone();
    paths.retain(|path| !all.iter().any(|other| other != path && path.is_below(other)));
    Ok(paths)
}

/// Parses the grants of a request without checking that the accounts and roles exist.
pub(super) fn check_grants(grants: &[NewGrant]) -> Result<Vec<Grant>> {
    if grants.len() > MAX_ITEMS {
        return Err(ServiceError::invalid("grants", "must be at most 200"));
    }
    let (mut checked, mut errors) = (Vec::with_capacity(grants.len()), Vec::new());
    for (index, grant) in grants.iter().enumerate() {
        let mut fail = |field: &str, message: &str| {
            errors.push(FieldError::new(format!("grants[{index}]{field}"), message));
        };
        match (&grant.user, &grant.role) {
            (Some(user), None) => match user.parse() {
                Ok(id) => checked.push(Grant::User(id)),
                Err(_) => fail(".userId", "must be the id of a user"),
            },
            (None, Some(role)) => match check_role_name(role) {
                Ok(role) => checked.push(Grant::Role(role)),
                Err(message) => fail(".role", message),
            },
            _ => fail("", "must have either userId or role"),
        }
    }
    if errors.is_empty() {
        Ok(checked)
    } else {
        Err(ServiceError::Invalid(errors))
    }
}

/// Removes duplicate grants and checks that the accounts and roles exist.
pub(super) async fn known_grants(change: &mut IdentityChange, mut grants: Vec<Grant>) -> Result<Vec<Grant>> {
    let mut errors = Vec::new();
    for (index, grant) in grants.iter().enumerate() {
        let (is_known, field, message) = match grant {
            Grant::User(id) => (
                change.account(*id).await?.is_some(),
                "userId",
                "there is no such user",
            ),
            Grant::Role(role) => (
                find_role(change, role).await?.is_some(),
                "role",
                "there is no such role",
            ),
        };
        if !is_known {
            errors.push(FieldError::new(format!("grants[{index}].{field}"), message));
        }
    }
    if !errors.is_empty() {
        return Err(ServiceError::Unknown(errors));
    }
    grants.sort();
    grants.dedup();
    Ok(grants)
}
