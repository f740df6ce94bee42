//! Items of any type, named by type and id, as an actor may know of them.

use std::collections::HashMap;

use svc_domain::change::ItemType;
use svc_domain::id::MediaId;
use svc_domain::user_data::{ItemKey, ItemSummary, Playback, UserData, UserItem};
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;
use svc_identity::error::{FieldError, Result, ServiceError};
pub use svc_store::ItemFilter;
use svc_store::{ItemRepository, UserItemRepository};

/// An item with what its user did with it.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownItem {
    /// The item.
    pub key: ItemKey,
    /// In few words.
    pub summary: ItemSummary,
    /// What the user did.
    pub data: UserData,
}

/// What it takes to know of items of this type.
pub fn read_capability(item: ItemType) -> Capability {
    match item {
        ItemType::MusicTrack => Capability::MusicTracksRead,
        ItemType::MusicRelease => Capability::MusicReleasesRead,
        ItemType::MusicArtist => Capability::MusicArtistsRead,
        ItemType::Photo => Capability::PhotosRead,
        ItemType::Movie => Capability::MoviesRead,
        ItemType::TvShow | ItemType::TvEpisode => Capability::TvEpisodesRead,
    }
}

/// Those of the types, or of all, that the actor may know of.
pub fn readable_types(actor: &Actor, only: Option<ItemType>) -> Vec<ItemType> {
    let all = ItemType::ALL.into_iter();
    all.filter(|&item| only.is_none_or(|only| only == item) && actor.may(read_capability(item)))
        .collect()
}

/// An item's type from its name.
///
/// # Errors
/// Invalid.
pub fn parse_type(name: &str) -> std::result::Result<ItemType, FieldError> {
    ItemType::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = ItemType::ALL.iter().map(|item| item.as_str()).collect();
        FieldError::new("mediaType", format!("must be one of {}", names.join(", ")))
    })
}

/// An item's id from its text, in a field of this path.
///
/// # Errors
/// Invalid.
pub fn parse_id(path: &str, text: &str) -> std::result::Result<MediaId, FieldError> {
    text.parse().map_err(|_| FieldError::new(path, "must be an id"))
}

/// An item that the actor sees, in few words.
///
/// # Errors
/// Not found; the store's.
pub async fn find_item(items: &ItemRepository, actor: &Actor, key: ItemKey) -> Result<ItemSummary> {
    if !actor.may(read_capability(key.0)) {
        return Err(ServiceError::NotFound);
    }
    let mut found = items.item_summaries(&actor.scope, [key]).await?;
    found.remove(&key).ok_or(ServiceError::NotFound)
}

/// What the actor did with items, as far as their credential lets them know.
pub(super) async fn user_data(
    user_items: &UserItemRepository,
    actor: &Actor,
    keys: &[ItemKey],
) -> Result<HashMap<ItemKey, UserData>> {
    let plays = actor.may(Capability::HistoryRead);
    let ratings = actor.may(Capability::RatingsRead);
    if keys.is_empty() || !(plays || ratings) {
        return Ok(HashMap::new());
    }
    let mut found = user_items.user_data(actor.user.id, keys).await?;
    for data in found.values_mut() {
        if !plays {
            data.playback = Playback::default();
        }
        if !ratings {
            data.rating = None;
        }
    }
    Ok(found)
}

/// Items in few words; those that went since they were listed are left out.
pub(super) async fn with_summaries(
    repository: &ItemRepository,
    actor: &Actor,
    items: Vec<UserItem>,
) -> Result<Vec<KnownItem>> {
    let keys = items.iter().map(|item| item.key);
    let mut summaries: HashMap<ItemKey, ItemSummary> = repository.item_summaries(&actor.scope, keys).await?;
    let known = items.into_iter().filter_map(|item| {
        Some(KnownItem {
            key: item.key,
            summary: summaries.remove(&item.key)?,
            data: item.data,
        })
    });
    Ok(known.collect())
}
