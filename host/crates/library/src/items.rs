//! Items of any type, addressed by type and id.

use std::collections::HashMap;

use svc_domain::change::ItemType;
use svc_domain::id::MediaId;
use svc_domain::item::Item;
use svc_domain::music::Track;
use svc_domain::photo::Photo;
use svc_domain::user_data::{ItemKey, ItemSummary, Playback, UserData, UserItem};
use svc_domain::video::{Episode, Movie};
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;
use svc_identity::error::{FieldError, Result, ServiceError};
pub use svc_store::ItemFilter;
use svc_store::{ItemRepository, UserItemRepository};

/// An item with its user's data.
#[derive(Debug, Clone, PartialEq)]
pub struct UserItemDetails {
    /// The item.
    pub key: ItemKey,
    /// Title and a few fields for display.
    pub summary: ItemSummary,
    /// Rating and playback state of the user.
    pub data: UserData,
}

/// The capability required to read items of this type.
pub fn read_capability(item: ItemType) -> Capability {
    match item {
        ItemType::MusicTrack => Capability::MusicTracksRead,
        ItemType::MusicRelease => Capability::MusicReleasesRead,
        ItemType::MusicArtist => Capability::MusicArtistsRead,
        ItemType::Photo => Capability::PhotosRead,
        ItemType::Movie => Capability::MoviesRead,
        ItemType::TvShow | ItemType::TvEpisode => Capability::TvEpisodesRead,
        ItemType::Item => Capability::ItemsRead,
    }
}

/// The types that the actor may read, restricted to `only`.
pub fn readable_types(actor: &Actor, only: Option<ItemType>) -> Vec<ItemType> {
    let all = ItemType::ALL.into_iter();
    all.filter(|&item| only.is_none_or(|only| only == item) && actor.may(read_capability(item)))
        .collect()
}

/// Parses the name of an item type.
///
/// # Errors
/// Invalid.
pub fn parse_type(name: &str) -> std::result::Result<ItemType, FieldError> {
    ItemType::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = ItemType::ALL.iter().map(|item| item.as_str()).collect();
        FieldError::new("mediaType", format!("must be one of {}", names.join(", ")))
    })
}

/// Parses the id in the field `path`.
///
/// # Errors
/// Invalid.
pub fn parse_id(path: &str, text: &str) -> std::result::Result<MediaId, FieldError> {
    text.parse().map_err(|_| FieldError::new(path, "must be an id"))
}

/// Returns the summary of an item that the actor may see.
///
/// # Errors
/// Not found; database errors.
pub async fn find_item(items: &ItemRepository, actor: &Actor, key: ItemKey) -> Result<ItemSummary> {
    if !actor.may(read_capability(key.0)) {
        return Err(ServiceError::NotFound);
    }
    let mut found = items.item_summaries(&actor.scope, [key]).await?;
    found.remove(&key).ok_or(ServiceError::NotFound)
}

/// An item that clients receive together with the data of its user.
pub(super) trait WithUserData: Send {
    fn key(&self) -> ItemKey;
    fn set_user_data(&mut self, data: UserData);
}

macro_rules! with_user_data {
    ($($item:ident: $item_type:ident),+) => {$(
        impl WithUserData for $item {
            fn key(&self) -> ItemKey {
                (ItemType::$item_type, self.id.get())
            }

            fn set_user_data(&mut self, data: UserData) {
                self.user_data = data;
            }
        }
    )+};
}

with_user_data!(Track: MusicTrack, Photo: Photo, Movie: Movie, Episode: TvEpisode, Item: Item);

/// Fills in the actor's data of items, as far as the credential permits.
pub(super) async fn add_user_data<T: WithUserData>(
    user_items: &UserItemRepository,
    actor: &Actor,
    items: &mut [T],
) -> Result<()> {
    let keys: Vec<_> = items.iter().map(T::key).collect();
    let found = user_data(user_items, actor, &keys).await?;
    for item in items {
        let data = found.get(&item.key()).copied().unwrap_or_default();
        item.set_user_data(data);
    }
    Ok(())
}

async fn user_data(
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

/// Adds summaries to items; those deleted meanwhile are omitted.
pub(super) async fn with_summaries(
    repository: &ItemRepository,
    actor: &Actor,
    items: Vec<UserItem>,
) -> Result<Vec<UserItemDetails>> {
    let keys = items.iter().map(|item| item.key);
    let mut summaries: HashMap<ItemKey, ItemSummary> = repository.item_summaries(&actor.scope, keys).await?;
    let known = items.into_iter().filter_map(|item| {
        Some(UserItemDetails {
            key: item.key,
            summary: summaries.remove(&item.key)?,
            data: item.data,
        })
    });
    Ok(known.collect())
}
