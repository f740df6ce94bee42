//! Validation of requests: queue types, seeds and items, including containers such as releases.

use crate::items::{parse_id, read_capability};
use crate::playback_queues::{PlaybackQueues, full};
use svc_domain::change::ItemType;
use svc_domain::playback_queue::{MAX_ITEMS, MAX_SEED, MAX_SEEDS, QueueType};
use svc_domain::user_data::ItemKey;
use svc_identity::actor::Actor;
use svc_identity::error::{FieldError, Result, ServiceError};

/// An item as the client sent it.
#[derive(Debug, Clone)]
pub struct RequestedItem {
    /// Its type.
    pub media_type: String,
    /// Its id.
    pub media_id: String,
}

/// Input of [`PlaybackQueues::create`].
#[derive(Debug)]
pub struct NewQueue {
    /// `static` or `dynamic`.
    pub queue_type: String,
    /// Type of a dynamic queue.
    pub dynamic_type: Option<String>,
    /// Seed of its order.
    pub seed: Option<String>,
    /// Initial items.
    pub items: Vec<RequestedItem>,
}

pub(super) fn may_read(actor: &Actor, item: ItemType) -> bool {
    actor.may(read_capability(item))
}

pub(super) fn check_type(new: &NewQueue) -> Result<QueueType> {
    if new.queue_type != "static" && new.queue_type != "dynamic" {
        return Err(ServiceError::invalid("type", "must be static or dynamic"));
    }
    if let Some(seed) = &new.seed
        && (new.queue_type == "static" || seed.is_empty() || seed.chars().count() > MAX_SEED)
    {
        let message = format!("must have 1 to {MAX_SEED} characters, and is for dynamic queues");
        return Err(ServiceError::invalid("seed", message));
    }
    QueueType::from_names(&new.queue_type, new.dynamic_type.as_deref()).ok_or_else(|| {
        let message =
            "must be one of shuffle, similar, favorites for a dynamic queue, and none for a static one";
        ServiceError::invalid("dynamicType", message)
    })
}

/// The tracks among these items.
pub(super) fn tracks(items: &[ItemKey]) -> impl Iterator<Item = i64> {
    let tracks = items.iter().filter(|(item, _)| *item == ItemType::MusicTrack);
    tracks.map(|(_, id)| *id)
}

/// The seed tracks that a dynamic queue stores.
pub(super) fn seeds(queue_type: QueueType, items: &[ItemKey]) -> Result<Vec<i64>> {
    if queue_type == QueueType::Static {
        return Ok(Vec::new());
    }
    let seeds: Vec<i64> = tracks(items).take(MAX_SEEDS).collect();
    if queue_type == QueueType::Similar && seeds.is_empty() {
        let message = "must contain a track, a release or an artist as the seed";
        return Err(ServiceError::invalid("items", message));
    }
    Ok(seeds)
}

/// Whether the item is playable or a container of playable items.
fn can_be_queued(item: ItemType) -> bool {
    match item {
        ItemType::MusicTrack | ItemType::Movie | ItemType::TvEpisode | ItemType::Item => true,
        ItemType::MusicRelease | ItemType::MusicArtist | ItemType::TvShow => true,
        ItemType::Photo => false,
    }
}

fn path_of_id(index: usize) -> String {
    format!("items[{index}].mediaId")
}

fn parse_one(index: usize, named: &RequestedItem) -> std::result::Result<ItemKey, FieldError> {
    let item = ItemType::from_name(&named.media_type).filter(|item| can_be_queued(*item));
    let item = item.ok_or_else(|| {
        let message = "must be music_track, music_release, music_artist, movie, tv_show, tv_episode or item";
        FieldError::new(format!("items[{index}].mediaType"), message)
    })?;
    Ok((item, parse_id(&path_of_id(index), &named.media_id)?.get()))
}

/// Parses items without checking that they exist.
pub(super) fn parse(named: &[RequestedItem]) -> Result<Vec<ItemKey>> {
    let (mut keys, mut errors) = (Vec::with_capacity(named.len()), Vec::new());
    for (index, named) in named.iter().enumerate() {
        match parse_one(index, named) {
            Ok(key) => keys.push(key),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() {
        Ok(keys)
    } else {
        Err(ServiceError::Invalid(errors))
    }
}

impl PlaybackQueues {
    /// Replaces releases, artists and shows by the items they contain.
    pub(super) async fn items_of(&self, actor: &Actor, keys: Vec<ItemKey>) -> Result<Vec<ItemKey>> {
        let seen = self.items.accessible_items_of(&actor.scope, &keys).await?;
        let is_seen = |key: &ItemKey| may_read(actor, key.0) && seen.contains(key);
        let hidden = keys.iter().enumerate().filter(|(_, key)| !is_seen(key));
        let unknown = hidden.map(|(index, _)| FieldError::new(path_of_id(index), "there is no such item"));
        let errors: Vec<FieldError> = unknown.collect();
        if !errors.is_empty() {
            return Err(ServiceError::Unknown(errors));
        }
        self.check_playable(&keys).await?;
        let mut items = Vec::with_capacity(keys.len());
        for key in keys {
            match self.playback_queues.playable_items_of(&actor.scope, key).await? {
                Some(parts) => items.extend(parts.into_iter().filter(|(item, _)| may_read(actor, *item))),
                None => items.push(key),
            }
            if items.len() as u64 > MAX_ITEMS {
                return Err(full());
            }
        }
        Ok(items)
    }

    /// Rejects items of kinds that are viewed and not played.
    async fn check_playable(&self, keys: &[ItemKey]) -> Result<()> {
        let items = keys
            .iter()
            .enumerate()
            .filter(|(_, (item, _))| *item == ItemType::Item);
        let items: Vec<(usize, i64)> = items.map(|(index, (_, id))| (index, *id)).collect();
        if items.is_empty() {
            return Ok(());
        }
        let ids: Vec<i64> = items.iter().map(|(_, id)| *id).collect();
        let playable = self.kinds.playable_items(&ids).await?;
        let others = items.iter().filter(|(_, id)| !playable.contains(id));
        let errors: Vec<FieldError> = others
            .map(|(index, _)| FieldError::new(path_of_id(*index), "is not an item that is played"))
            .collect();
        if errors.is_empty() {
            Ok(())
        } else {
            Err(ServiceError::Invalid(errors))
        }
    }
}
