//! Tags are rows of items, each of which says how long it is: frames, comments, chunks, atoms.
//!
//! One wrong length must not cost what lies behind it. So an item's end is believed only if the row goes on there;
//! if not, the next item is searched for, byte by byte, and the damaged one ends where that begins. What an item may
//! look like is its [`ItemFormat`]'s matter.

pub mod ape;
pub mod atoms;
pub mod chunks;
pub mod comments;
pub mod id3v2;
pub mod wave64;

use std::io::Result;

use svc_plugin_api::Source;

/// The most items of a row.
const MAX_ITEMS: usize = 4096;
/// The most bytes of a row that are searched for items that are not where they should be.
const MAX_SEARCHED: u64 = 4 * 1024 * 1024;
/// How much is searched at a time.
const SEARCH_BYTES: u64 = 64 * 1024;
/// How much of an item's end is searched for items that its length has swallowed.
const TAIL_BYTES: u64 = 1024;
/// The most places that look like an item and are looked at closely.
const MAX_CANDIDATES: usize = 64;
/// So many zeros where an item should begin are padding: the row ends.
const PADDING_BYTES: u64 = 10;

/// What an item's header says.
#[derive(Debug, Clone, Copy)]
pub struct Head<N> {
    /// What the item is.
    pub name: N,
    /// Where its body begins.
    pub body: u64,
    /// Where it ends and the next one begins, as the format has it; then as careless programs write it.
    pub ends: [u64; 2],
}

/// What the items of a row look like.
pub trait ItemFormat {
    /// What an item's header says that it is.
    type Name: Copy;

    /// The header at this place, if it may be one.
    ///
    /// # Errors
    /// If a read failed.
    fn head(&self, source: &mut Source, at: u64, end: u64) -> Result<Option<Head<Self::Name>>>;

    /// Whether an item is believed to begin here although nothing says that one should: a known name, most often.
    /// The bytes are at least [`Self::KNOWN_BYTES`].
    fn is_known(&self, bytes: &[u8]) -> bool;

    /// How many bytes [`Self::is_known`] looks at.
    const KNOWN_BYTES: usize;

    /// The bytes of the shortest item; what is left of a row after that is no item.
    const LEAST_BYTES: u64;

    /// Whether a row that goes on with these bytes, at most ten, has ended: they are zeros.
    fn is_padding(&self, bytes: &[u8]) -> bool {
        bytes.iter().all(|byte| *byte == 0)
    }

    /// Whether such an item may hold what looks like other items.
    fn may_contain_items(&self, _name: Self::Name) -> bool {
        false
    }
}

/// Where an item is.
#[derive(Debug, Clone, Copy)]
pub struct Item<N> {
    /// What it is.
    pub name: N,
    /// Where its header begins.
    pub start: u64,
    /// Where its body begins.
    pub body: u64,
    /// Where its body ends.
    pub end: u64,
    /// Whether it says that it is longer, and something else begins there or nothing at all.
    pub is_cut: bool,
}

impl<N> Item<N> {
    /// The bytes of its body, or the first of them.
    ///
    /// # Errors
    /// If a read failed.
    pub fn bytes(&self, source: &mut Source, most: usize) -> Result<Vec<u8>> {
        let length = usize::try_from(self.end.saturating_sub(self.body)).unwrap_or(usize::MAX);
        source.bytes_at(self.body, length.min(most))
    }
}

/// The items of a row, in order.
#[derive(Debug)]
pub struct ItemList<N> {
    /// What was found.
    pub items: Vec<Item<N>>,
    /// In how many places the row is damaged: a length that cannot be, or bytes that are no item.
    pub damaged_places: u32,
}

/// Walks the row from `start` to `end`.
///
/// # Errors
/// If a read failed.
pub fn walk<G: ItemFormat>(
    format: &G,
    source: &mut Source,
    start: u64,
    end: u64,
) -> Result<ItemList<G::Name>> {
    let mut walk = Walk {
        format,
        end: end.min(source.size()),
        left: MAX_SEARCHED,
        candidates: MAX_CANDIDATES,
    };
    walk.run(source, start)
}

struct Walk<'g, G> {
    format: &'g G,
    end: u64,
    /// Bytes that may still be searched.
    left: u64,
    candidates: usize,
}

impl<G: ItemFormat> Walk<'_, G> {
    fn run(&mut self, source: &mut Source, mut at: u64) -> Result<ItemList<G::Name>> {
        let mut list = ItemList {
            items: Vec::new(),
            damaged_places: 0,
        };
        while self.has_room(at) && list.items.len() < MAX_ITEMS {
            let Some(head) = self.format.head(source, at, self.end)? else {
                if self.is_padding(source, at)? {
                    break;
                }
                list.damaged_places += 1;
                match self.search(source, at + 1, self.end, true)? {
                    Some(next) => at = next,
                    None => break,
                }
                continue;
            };
            let mut item = Item {
                name: head.name,
                start: at,
                body: head.body,
                end: self.end,
                is_cut: false,
            };
            // What lies behind a large item is looked at from its tail on, with one read of the host for both.
            let tail = head.ends[0].min(self.end).saturating_sub(TAIL_BYTES);
            if tail > head.body && !self.format.may_contain_items(head.name) {
                source.array_at::<1>(tail)?;
            }
            let next = match self.valid_end(source, &head)? {
                Some(next) if self.format.may_contain_items(head.name) => (next, next),
                Some(next) => {
                    let tail = next.saturating_sub(TAIL_BYTES).max(head.body);
                    match self.search(source, tail, next, false)? {
                        Some(swallowed) => {
                            list.damaged_places += 1;
                            item.is_cut = true;
                            (swallowed, swallowed)
                        }
                        None => (next, next),
                    }
                }
                None => {
                    list.damaged_places += 1;
                    let [says, _] = head.ends;
                    let next = self
                        .search(source, head.body, self.end, true)?
                        .unwrap_or(self.end);
                    item.is_cut = next < says;
                    (says.min(next), next)
                }
            };
            (item.end, at) = next;
            list.items.push(item);
        }
        Ok(list)
    }

    /// The end at which the row goes on.
    fn valid_end(&self, source: &mut Source, head: &Head<G::Name>) -> Result<Option<u64>> {
        let [first, second] = head.ends;
        if self.continues_at(source, first)? {
            return Ok(Some(first));
        }
        Ok((second != first && self.continues_at(source, second)?).then_some(second))
    }

    /// Whether another item, padding or the end of the row is here.
    fn continues_at(&self, source: &mut Source, at: u64) -> Result<bool> {
        if !self.has_room(at) {
            return Ok(at <= self.end);
        }
        let Some(head) = self.format.head(source, at, self.end)? else {
            return self.is_padding(source, at);
        };
        // An item whose own length is wrong is one as well, if it is known.
        let mut spare = Vec::new();
        Ok(head.ends.iter().any(|end| *end <= self.end)
            || self
                .format
                .is_known(source.slice_at(at, G::KNOWN_BYTES, &mut spare)?))
    }

    fn has_room(&self, at: u64) -> bool {
        at.saturating_add(G::LEAST_BYTES) <= self.end
    }

    fn is_padding(&self, source: &mut Source, at: u64) -> Result<bool> {
        let length = self.end.saturating_sub(at).min(PADDING_BYTES);
        let mut spare = Vec::new();
        let bytes = source.slice_at(at, usize::try_from(length).unwrap_or(0), &mut spare)?;
        Ok(self.format.is_padding(bytes))
    }

    /// The first place in a range where a known item begins, behind which the row goes on. Where the row is known to
    /// be damaged, what is behind it may be broken as well: that it fits is enough, unless such an item is inside.
    fn search(
        &mut self,
        source: &mut Source,
        mut from: u64,
        until: u64,
        is_damaged: bool,
    ) -> Result<Option<u64>> {
        while let Some(at) = self.candidate(source, from, until)? {
            from = at + 1;
            let Some(head) = self.format.head(source, at, self.end)? else {
                continue;
            };
            if self.valid_end(source, &head)?.is_some() {
                return Ok(Some(at));
            }
            let fits = head.ends.into_iter().filter(|end| *end <= self.end).min();
            if let Some(end) = fits.filter(|_| is_damaged) {
                let inside = self.search(source, from, end.min(until), false)?;
                return Ok(inside.or(Some(at)));
            }
        }
        Ok(None)
    }

    /// The first place in a range where a known item may begin.
    fn candidate(&mut self, source: &mut Source, mut from: u64, until: u64) -> Result<Option<u64>> {
        let overlap = G::KNOWN_BYTES as u64 - 1;
        let mut spare = Vec::new();
        while from < until && self.left > 0 && self.candidates > 0 {
            let length = (until - from).min(SEARCH_BYTES).min(self.left);
            // A header that begins in the range may end behind it.
            let wanted = usize::try_from(length + overlap).unwrap_or(0);
            let bytes = source.slice_at(from, wanted, &mut spare)?;
            let found = bytes
                .windows(G::KNOWN_BYTES)
                .position(|window| self.format.is_known(window));
            self.left -= length;
            if let Some(found) = found {
                self.candidates -= 1;
                return Ok(Some(from + found as u64));
            }
            from += length;
        }
        Ok(None)
    }
}
