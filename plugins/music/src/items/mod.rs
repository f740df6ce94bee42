//! Error-tolerant reading of tags as lists of items with lengths: frames, comments, chunks, atoms.
//!
//! An item with a wrong length must not make the items after it unreadable. The end of an item is therefore valid
//! only if another item, padding or the end of the list follows. Otherwise the next item is searched byte by byte,
//! and the damaged item ends there. An [`ItemFormat`] describes the headers of one tag format.

pub mod ape;
pub mod atoms;
pub mod chunks;
pub mod comments;
pub mod id3v2;
pub mod wave64;

use std::io::Result;

use svc_plugin_api::Source;

/// The most items of a list.
const MAX_ITEMS: usize = 4096;
/// The most bytes of a list that are searched for displaced items.
const MAX_SEARCHED: u64 = 4 * 1024 * 1024;
/// The bytes that are searched with one read.
const SEARCH_BYTES: u64 = 64 * 1024;
/// The bytes at the end of an item that are searched for items within its stated length.
const TAIL_BYTES: u64 = 1024;
/// The most possible item headers that are verified.
const MAX_CANDIDATES: usize = 64;
/// A run of this many zeros in place of an item is padding and ends the list.
const PADDING_BYTES: u64 = 10;

/// The header of an item.
#[derive(Debug, Clone, Copy)]
pub struct Head<N> {
    pub name: N,
    /// Where the body begins.
    pub body: u64,
    /// Where the item ends and the next one begins: by the specification, and as incorrect programs write it.
    pub ends: [u64; 2],
}

/// The format of the items in a list.
pub trait ItemFormat {
    /// The identification in an item's header.
    type Name: Copy;

    /// The header at `at`; `None` if the bytes there cannot be one.
    ///
    /// # Errors
    /// If a read failed.
    fn head(&self, source: &mut Source, at: u64, end: u64) -> Result<Option<Head<Self::Name>>>;

    /// Whether these bytes, at least [`Self::KNOWN_BYTES`], identify an item where none is expected: usually by a
    /// known name.
    fn is_known(&self, bytes: &[u8]) -> bool;

    /// The number of bytes that [`Self::is_known`] needs.
    const KNOWN_BYTES: usize;

    /// The bytes of the shortest item; a shorter rest of a list is not an item.
    const LEAST_BYTES: u64;

    /// Whether these bytes, at most ten, are padding at the end of a list.
    fn is_padding(&self, bytes: &[u8]) -> bool {
        bytes.iter().all(|byte| *byte == 0)
    }

    /// Whether the body may contain bytes that look like items.
    fn may_contain_items(&self, _name: Self::Name) -> bool {
        false
    }
}

/// The position of an item, in bytes of the file.
#[derive(Debug, Clone, Copy)]
pub struct Item<N> {
    pub name: N,
    /// Of the header.
    pub start: u64,
    /// Of the body.
    pub body: u64,
    /// Of the body.
    pub end: u64,
    /// Whether the stated length is larger, but another item begins there or the list ends.
    pub is_cut: bool,
}

impl<N> Item<N> {
    /// The first `most` bytes of the body.
    ///
    /// # Errors
    /// If a read failed.
    pub fn bytes(&self, source: &mut Source, most: usize) -> Result<Vec<u8>> {
        let length = usize::try_from(self.end.saturating_sub(self.body)).unwrap_or(usize::MAX);
        source.bytes_at(self.body, length.min(most))
    }
}

#[derive(Debug)]
pub struct ItemList<N> {
    pub items: Vec<Item<N>>,
    /// The number of damaged places: wrong lengths and bytes that are not an item.
    pub damaged_places: u32,
}

/// Reads the list between `start` and `end`.
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
            // Reads the end of a large item together with the header of the next one, in one read of the host.
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
                    let [stated_end, _] = head.ends;
                    let next = self
                        .search(source, head.body, self.end, true)?
                        .unwrap_or(self.end);
                    item.is_cut = next < stated_end;
                    (stated_end.min(next), next)
                }
            };
            (item.end, at) = next;
            list.items.push(item);
        }
        Ok(list)
    }

    /// The first of the item's ends at which the list continues.
    fn valid_end(&self, source: &mut Source, head: &Head<G::Name>) -> Result<Option<u64>> {
        let [first, second] = head.ends;
        if self.continues_at(source, first)? {
            return Ok(Some(first));
        }
        Ok((second != first && self.continues_at(source, second)?).then_some(second))
    }

    /// Whether another item, padding or the end of the list is at `at`.
    fn continues_at(&self, source: &mut Source, at: u64) -> Result<bool> {
        if !self.has_room(at) {
            return Ok(at <= self.end);
        }
        let Some(head) = self.format.head(source, at, self.end)? else {
            return self.is_padding(source, at);
        };
        // A known item counts even if its own length is wrong.
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

    /// The first known item in a range after which the list continues. In a damaged list the items after it may be
    /// damaged too, so an item also counts if it fits into the list and contains no other.
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

    /// The first offset in a range with a known item.
    fn candidate(&mut self, source: &mut Source, mut from: u64, until: u64) -> Result<Option<u64>> {
        let overlap = G::KNOWN_BYTES as u64 - 1;
        let mut spare = Vec::new();
        while from < until && self.left > 0 && self.candidates > 0 {
            let length = (until - from).min(SEARCH_BYTES).min(self.left);
            // A header may extend beyond the range.
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
