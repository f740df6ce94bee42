//! Playback queues: their limits, and the order in which items are drawn for dynamic queues.

use std::collections::HashSet;

use crate::id::{PlaybackQueueId, PlaybackQueueItemId, UserId};
use crate::named_enum::named_enum;
use crate::time::Timestamp;
use crate::user_data::ItemKey;

/// Maximum number of items in a queue: thirty days of music, and as much as a client can display.
pub const MAX_ITEMS: u64 = 10_000;
/// Maximum number of queues per user. A new queue replaces the least recently used one, since players create one per
/// album.
pub const MAX_QUEUES: u64 = 100;
/// A dynamic queue with fewer items after the cursor is refilled: an hour of music, so that players can prefetch.
pub const REFILL_BELOW: u64 = 20;
/// Items per refill. A refill reads all tracks, so it is not done for each played track.
pub const REFILL: usize = 50;
/// Maximum number of initial items that are remembered; `similar` selects tracks like these.
pub const MAX_SEEDS: usize = 50;
/// Maximum length of a seed in characters.
pub const MAX_SEED: usize = 64;
/// Maximum number of items before and after the requested one.
pub const MAX_WINDOW: i64 = 500;

named_enum! {
    /// The source of a queue's items.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum QueueType: i16 {
        /// Added by the user.
        Static = 0 => "static",
        /// All tracks that the user may access.
        Shuffle = 1 => "shuffle",
        /// Tracks that share artists or genres with the initial ones.
        Similar = 2 => "similar",
        /// The user's favorite tracks.
        Favorites = 3 => "favorites",
    }
}

impl QueueType {
    /// The `dynamicType` in the API; `None` for a static queue.
    pub fn dynamic_type(self) -> Option<&'static str> {
        (self != Self::Static).then(|| self.as_str())
    }

    /// The type with this `queueType` and `dynamicType` of the API.
    pub fn from_names(queue_type: &str, dynamic_type: Option<&str>) -> Option<Self> {
        match (queue_type, dynamic_type) {
            ("static", None) => Some(Self::Static),
            ("dynamic", Some(name)) => Self::from_name(name).filter(|known| *known != Self::Static),
            _ => None,
        }
    }
}

/// The current position in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueCursor {
    /// The current item.
    pub item: PlaybackQueueItemId,
    /// Number of items before it.
    pub index: u64,
    /// Position within the item, in milliseconds.
    pub position_ms: i64,
}

/// How far a dynamic queue has drawn from its pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DrawState {
    /// Number of completed rounds over the pool.
    pub round: i64,
    /// Sort value and track of the last draw in this round.
    pub last: Option<(u64, i64)>,
}

/// A playback queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaybackQueue {
    /// Id.
    pub id: PlaybackQueueId,
    /// The owner; no other account has access.
    pub user: UserId,
    /// Source of its items.
    pub queue_type: QueueType,
    /// Determines the order of a dynamic queue.
    pub seed: String,
    /// Initial tracks, at most [`MAX_SEEDS`].
    pub seeds: Vec<i64>,
    /// Increases with each change of the items or their order.
    pub revision: i64,
    /// Number of items.
    pub item_count: u64,
    /// `None` before the first item.
    pub cursor: Option<QueueCursor>,
    /// State of drawing.
    pub draw: DrawState,
    /// When the queue was created.
    pub created_at: Timestamp,
    /// When the items or the cursor last changed.
    pub modified_at: Timestamp,
}

impl PlaybackQueue {
    /// Number of items after the cursor.
    pub fn remaining(&self) -> u64 {
        let passed = self.cursor.map_or(0, |cursor| cursor.index + 1);
        self.item_count.saturating_sub(passed)
    }

    /// Whether the server has to refill the queue.
    pub fn is_short(&self) -> bool {
        self.queue_type != QueueType::Static && self.remaining() < REFILL_BELOW
    }
}

/// An entry of a queue. An item can have several entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueItem {
    /// Id of the entry.
    pub id: PlaybackQueueItemId,
    /// Number of entries before it.
    pub index: u64,
    /// The played item.
    pub key: ItemKey,
}

/// A track of the pool and its similarity: each step halves its expected position in the order.
pub type PoolEntry = (i64, u32);

/// Mixes the bits of a number: a bijection that maps similar numbers to distant ones (the finalizer of splitmix64).
fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

fn start(seed: &str, round: i64) -> u64 {
    let bytes = seed.bytes().map(u64::from);
    let of_seed = bytes.fold(0x9e37_79b9_7f4a_7c15, |state, byte| {
        mix(state ^ byte).wrapping_add(1)
    });
    mix(of_seed ^ round.unsigned_abs())
}

/// Draws the next `count` tracks of `pool`. Only seed, round and ids determine the order: added and removed tracks do
/// not change the order of the others. After all were drawn, the next round begins. The first round leaves out
/// initial tracks of the queue and those in `held`.
pub fn draw(
    queue: &PlaybackQueue,
    held: &HashSet<i64>,
    pool: &[PoolEntry],
    count: usize,
) -> (Vec<i64>, DrawState) {
    let (mut drawn, mut state) = (Vec::new(), queue.draw);
    while drawn.len() < count {
        let key = start(&queue.seed, state.round);
        let places = pool.iter().map(|&(id, near)| {
            let place = mix(key ^ id.unsigned_abs()) >> near.min(32);
            (place, id)
        });
        let mut left: Vec<(u64, i64)> = places
            .filter(|place| state.last.is_none_or(|last| *place > last))
            .filter(|(_, id)| state.round > 0 || !(held.contains(id) || queue.seeds.contains(id)))
            .collect();
        let wanted = count - drawn.len();
        if left.len() > wanted {
            left.select_nth_unstable(wanted);
            left.truncate(wanted);
        }
        left.sort_unstable();
        if let Some(last) = left.last() {
            state.last = Some(*last);
            drawn.extend(left.iter().map(|(_, id)| *id));
        } else if state.round > 0 && state.last.is_none() {
            // The pool is empty.
            break;
        } else {
            state = DrawState {
                round: state.round + 1,
                last: None,
            };
        }
    }
    (drawn, state)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(seed: &str, seeds: &[i64]) -> PlaybackQueue {
        PlaybackQueue {
            id: 1.into(),
            user: 1.into(),
            queue_type: QueueType::Shuffle,
            seed: seed.to_owned(),
            seeds: seeds.to_vec(),
            revision: 1,
            item_count: 0,
            cursor: None,
            draw: DrawState::default(),
            created_at: Timestamp::default(),
            modified_at: Timestamp::default(),
        }
    }

    fn drawn(queue: &mut PlaybackQueue, pool: &[PoolEntry], portions: &[usize]) -> Vec<i64> {
        let mut all = Vec::new();
        for &portion in portions {
            let (ids, draw) = draw(queue, &HashSet::new(), pool, portion);
            queue.draw = draw;
            all.extend(ids);
        }
        all
    }

    #[test]
    fn each_round_draws_every_track_once_for_any_batch_size() {
        let pool: Vec<PoolEntry> = (1..=100).map(|id| (id * 1_000_003, 0)).collect();
        let whole = drawn(&mut queue("x", &[]), &pool, &[200]);
        let parts = drawn(&mut queue("x", &[]), &pool, &[7, 50, 43, 1, 99]);
        assert_eq!(whole, parts);
        for round in whole.chunks(100) {
            let mut sorted = round.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), 100);
        }
        assert_ne!(whole[..100], whole[100..], "each round has an order of its own");
        assert_ne!(whole[..100], drawn(&mut queue("y", &[]), &pool, &[100]));
        let mut sorted = whole[..100].to_vec();
        sorted.sort_unstable();
        assert_ne!(whole[..100], sorted);
    }

    #[test]
    fn order_is_pinned() {
        let pool: Vec<PoolEntry> = (1..=8).map(|id| (id, 0)).collect();
        assert_eq!(
            drawn(&mut queue("seed", &[]), &pool, &[8]),
            [1, 5, 6, 8, 7, 2, 3, 4]
        );
    }

    #[test]
    fn added_and_removed_tracks_do_not_reorder_the_others() {
        let pool: Vec<PoolEntry> = (1..=100).map(|id| (id, 0)).collect();
        let before = drawn(&mut queue("x", &[]), &pool, &[100]);
        let fewer: Vec<PoolEntry> = pool.iter().copied().filter(|(id, _)| id % 3 != 0).collect();
        let kept: Vec<i64> = before.iter().copied().filter(|id| id % 3 != 0).collect();
        assert_eq!(drawn(&mut queue("x", &[]), &fewer, &[67]), kept);
    }

    #[test]
    fn initial_tracks_are_rendered_from_the_second_round_on() {
        let pool: Vec<PoolEntry> = (1..=5).map(|id| (id, 0)).collect();
        let mut ids = drawn(&mut queue("x", &[2, 4]), &pool, &[3]);
        ids.sort_unstable();
        assert_eq!(ids, [1, 3, 5]);
        assert_eq!(drawn(&mut queue("x", &[2, 4]), &pool, &[8]).len(), 8);
        assert_eq!(drawn(&mut queue("x", &[]), &[], &[5]), [0; 0]);
        let mut only = queue("x", &[1]);
        assert_eq!(
            drawn(&mut only, &[(1, 0)], &[3]),
            [1, 1, 1],
            "the only one there is"
        );
    }

    #[test]
    fn held_tracks_are_not_rendered_in_the_first_round() {
        let pool: Vec<PoolEntry> = (1..=5).map(|id| (id, 0)).collect();
        let (ids, state) = draw(&queue("x", &[2]), &HashSet::from([2, 4, 9]), &pool, 8);
        let (mut first, mut second) = (ids[..3].to_vec(), ids[3..].to_vec());
        first.sort_unstable();
        second.sort_unstable();
        assert_eq!((first, second), (vec![1, 3, 5], vec![1, 2, 3, 4, 5]));
        assert_eq!(state.round, 1);
    }

    #[test]
    fn similar_tracks_are_rendered_earlier() {
        let pool: Vec<PoolEntry> = (1..=1000).map(|id| (id, if id <= 100 { 3 } else { 0 })).collect();
        let first = drawn(&mut queue("x", &[]), &pool, &[100]);
        let near = first.iter().filter(|id| **id <= 100).count();
        assert!(
            (30..100).contains(&near),
            "{near} of the near tenth in the first tenth"
        );
    }
}
