//! Playback queues: what they are, how many and how long they may be, and in which order dynamic ones are drawn.

use std::collections::HashSet;

use crate::id::{PlaybackQueueId, PlaybackQueueItemId, UserId};
use crate::time::Timestamp;
use crate::user_data::ItemKey;

/// Items of a queue: thirty days of music. It is also what a client may have to show.
pub const MAX_ITEMS: u64 = 10_000;
/// Queues of a user. The one that was longest not touched makes room for a new one: players make one for each album.
pub const MAX_QUEUES: u64 = 100;
/// Items after the cursor below which a dynamic queue is extended: an hour, enough for a player to fetch ahead.
pub const REFILL_BELOW: u64 = 20;
/// Items that are added then. Each time costs a look at all tracks, so it is not done for each track that ends.
pub const REFILL: usize = 50;
/// Items that a queue is remembered to have begun with: what `similar` is similar to.
pub const MAX_SEEDS: usize = 50;
/// Characters of a seed.
pub const MAX_SEED: usize = 64;
/// Items before and after the one that is asked for, each.
pub const MAX_WINDOW: i64 = 500;

/// How a queue gets its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i16)]
pub enum QueueType {
    /// From its user alone.
    Static = 0,
    /// All tracks that the user sees.
    Shuffle = 1,
    /// Tracks of the artists and genres of those it began with.
    Similar = 2,
    /// The user's favorite tracks.
    Favorites = 3,
}

impl QueueType {
    const ALL: [Self; 4] = [Self::Static, Self::Shuffle, Self::Similar, Self::Favorites];

    /// The name of a dynamic one in the API.
    pub fn dynamic_type(self) -> Option<&'static str> {
        match self {
            Self::Static => None,
            Self::Shuffle => Some("shuffle"),
            Self::Similar => Some("similar"),
            Self::Favorites => Some("favorites"),
        }
    }

    /// The type of these names.
    pub fn from_names(queue_type: &str, dynamic_type: Option<&str>) -> Option<Self> {
        match (queue_type, dynamic_type) {
            ("static", None) => Some(Self::Static),
            ("dynamic", Some(name)) => Self::ALL
                .into_iter()
                .find(|known| known.dynamic_type() == Some(name)),
            _ => None,
        }
    }

    /// The type with this number in the store.
    pub fn from_number(number: i16) -> Option<Self> {
        Self::ALL.into_iter().find(|known| *known as i16 == number)
    }
}

/// Where in a queue its user is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueCursor {
    /// The item.
    pub item: PlaybackQueueItemId,
    /// How many are before it.
    pub index: u64,
    /// Where in the item.
    pub position_ms: i64,
}

/// How far a dynamic queue has drawn from what there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Draw {
    /// How often all there is was drawn before.
    pub round: i64,
    /// The last that was drawn in this round.
    pub last: Option<(u64, i64)>,
}

/// A queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaybackQueue {
    /// Identifier.
    pub id: PlaybackQueueId,
    /// Whose it is: nobody else knows of it.
    pub user: UserId,
    /// How it gets its items.
    pub queue_type: QueueType,
    /// What the order of a dynamic one comes from.
    pub seed: String,
    /// The tracks it began with, [`MAX_SEEDS`] at most.
    pub seeds: Vec<i64>,
    /// Rises with each change of its items or their order.
    pub revision: i64,
    /// How many there are.
    pub item_count: u64,
    /// Where its user is; `None` before the first item.
    pub cursor: Option<QueueCursor>,
    /// What was drawn.
    pub draw: Draw,
    /// When it was made.
    pub created_at: Timestamp,
    /// When something in it or its cursor was changed last.
    pub modified_at: Timestamp,
}

impl PlaybackQueue {
    /// Items after the cursor.
    pub fn remaining(&self) -> u64 {
        let passed = self.cursor.map_or(0, |cursor| cursor.index + 1);
        self.item_count.saturating_sub(passed)
    }

    /// Whether the server is to add items.
    pub fn is_short(&self) -> bool {
        self.queue_type != QueueType::Static && self.remaining() < REFILL_BELOW
    }
}

/// One place in a queue. The same item may have several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueItem {
    /// Identifier of the place.
    pub id: PlaybackQueueItemId,
    /// How many are before it.
    pub index: u64,
    /// What is played.
    pub key: ItemKey,
}

/// What can be drawn: a track, and how much closer than others it is: each step halves the wait for it.
pub type Drawable = (i64, u32);

/// Scrambles a number: each has another, and near ones have distant ones (the finalizer of splitmix64).
fn scramble(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

fn start(seed: &str, round: i64) -> u64 {
    let bytes = seed.bytes().map(u64::from);
    let of_seed = bytes.fold(0x9e37_79b9_7f4a_7c15, |state, byte| {
        scramble(state ^ byte).wrapping_add(1)
    });
    scramble(of_seed ^ round.unsigned_abs())
}

/// The next `count` of `pool`, in an order that seed, round and ids alone decide: a track that is added or goes does not
/// change that of the others. When all were drawn, the next round begins. In the first, those that the queue began with
/// and those that it holds are left out.
pub fn draw(queue: &PlaybackQueue, held: &HashSet<i64>, pool: &[Drawable], count: usize) -> (Vec<i64>, Draw) {
    let (mut drawn, mut state) = (Vec::new(), queue.draw);
    while drawn.len() < count {
        let key = start(&queue.seed, state.round);
        let places = pool.iter().map(|&(id, near)| {
            let place = scramble(key ^ id.unsigned_abs()) >> near.min(32);
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
            // There is nothing to draw at all.
            break;
        } else {
            state = Draw {
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
            draw: Draw::default(),
            created_at: Timestamp::default(),
            modified_at: Timestamp::default(),
        }
    }

    fn drawn(queue: &mut PlaybackQueue, pool: &[Drawable], portions: &[usize]) -> Vec<i64> {
        let mut all = Vec::new();
        for &portion in portions {
            let (ids, draw) = draw(queue, &HashSet::new(), pool, portion);
            queue.draw = draw;
            all.extend(ids);
        }
        all
    }

    #[test]
    fn everything_is_drawn_once_a_round_whatever_the_portions() {
        let pool: Vec<Drawable> = (1..=100).map(|id| (id * 1_000_003, 0)).collect();
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
        let pool: Vec<Drawable> = (1..=8).map(|id| (id, 0)).collect();
        assert_eq!(
            drawn(&mut queue("seed", &[]), &pool, &[8]),
            [1, 5, 6, 8, 7, 2, 3, 4]
        );
    }

    #[test]
    fn tracks_that_come_and_go_leave_the_others_in_their_order() {
        let pool: Vec<Drawable> = (1..=100).map(|id| (id, 0)).collect();
        let before = drawn(&mut queue("x", &[]), &pool, &[100]);
        let fewer: Vec<Drawable> = pool.iter().copied().filter(|(id, _)| id % 3 != 0).collect();
        let kept: Vec<i64> = before.iter().copied().filter(|id| id % 3 != 0).collect();
        assert_eq!(drawn(&mut queue("x", &[]), &fewer, &[67]), kept);
    }

    #[test]
    fn what_a_queue_began_with_comes_again_in_the_second_round_only() {
        let pool: Vec<Drawable> = (1..=5).map(|id| (id, 0)).collect();
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
    fn what_a_queue_holds_is_not_drawn_in_the_first_round() {
        let pool: Vec<Drawable> = (1..=5).map(|id| (id, 0)).collect();
        let (ids, state) = draw(&queue("x", &[2]), &HashSet::from([2, 4, 9]), &pool, 8);
        let (mut first, mut second) = (ids[..3].to_vec(), ids[3..].to_vec());
        first.sort_unstable();
        second.sort_unstable();
        assert_eq!((first, second), (vec![1, 3, 5], vec![1, 2, 3, 4, 5]));
        assert_eq!(state.round, 1);
    }

    #[test]
    fn near_tracks_come_earlier() {
        let pool: Vec<Drawable> = (1..=1000).map(|id| (id, if id <= 100 { 3 } else { 0 })).collect();
        let first = drawn(&mut queue("x", &[]), &pool, &[100]);
        let near = first.iter().filter(|id| **id <= 100).count();
        assert!(
            (30..100).contains(&near),
            "{near} of the near tenth in the first tenth"
        );
    }
}
