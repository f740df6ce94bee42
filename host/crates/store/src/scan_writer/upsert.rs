//! Rows that are added, or updated if their keys are known, and the ids that they have then.

use std::collections::{HashMap, HashSet};

use crate::changes::NewChanges;
use svc_database::args::Arg;
use svc_domain::change::{ChangeKind, ItemType};
use svc_domain::id::IdGenerator;
use svc_domain::time::Timestamp;

/// The values of rows. Each has a new id, which it gets unless its key is known.
pub(super) struct Proposed<'a> {
    pub(super) values: Vec<Arg<'a>>,
    ids: HashSet<i64>,
}

/// Proposes a row for each item with its key. An item without a row is left out.
pub(super) fn propose<'a, T, const N: usize>(
    ids: &IdGenerator,
    now: Timestamp,
    items: &'a [(String, &'a T)],
    row: impl Fn(i64, &'a str, &'a T) -> Option<[Arg<'a>; N]>,
) -> Proposed<'a> {
    let mut proposed = Proposed {
        values: Vec::with_capacity(items.len() * N),
        ids: HashSet::with_capacity(items.len()),
    };
    for (key, item) in items {
        let id = ids.next::<i64>(now);
        if let Some(row) = row(id, key, item) {
            proposed.values.extend(row);
            proposed.ids.insert(id);
        }
    }
    proposed
}

impl Proposed<'_> {
    /// Whether a stored row has the id that was proposed: its key was unknown.
    pub(super) fn is_new(&self, id: i64) -> bool {
        self.ids.contains(&id)
    }

    /// The rows that the database returned.
    pub(super) fn stored_as(self, rows: Vec<(i64, String)>) -> Stored {
        Stored {
            ids: rows.into_iter().map(|(id, key)| (key, id)).collect(),
            proposed: self.ids,
        }
    }
}

/// The ids of stored rows by key.
pub(super) struct Stored {
    pub(super) ids: HashMap<String, i64>,
    proposed: HashSet<i64>,
}

impl Stored {
    /// The items that were stored, with their ids.
    pub(super) fn of<'a, T>(&'a self, items: &'a [(String, &'a T)]) -> impl Iterator<Item = (i64, &'a T)> {
        items
            .iter()
            .filter_map(move |(key, item)| Some((*self.ids.get(key)?, *item)))
    }

    /// Whether the key of the row with this id was unknown.
    pub(super) fn is_new(&self, id: i64) -> bool {
        self.proposed.contains(&id)
    }

    /// Records the stored ones of these items as added or updated.
    pub(super) fn record<T>(&self, items: &[(String, &T)], item_type: ItemType, changes: &mut NewChanges) {
        for (id, _) in self.of(items) {
            let kind = if self.is_new(id) {
                ChangeKind::Added
            } else {
                ChangeKind::Updated
            };
            changes.push(item_type, kind, id);
        }
    }
}
