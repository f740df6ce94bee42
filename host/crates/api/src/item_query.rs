//! The query parameters that all lists of items share.

use crate::query::QueryParams;
use svc_domain::id::UserId;
use svc_domain::time::Timestamp;
use svc_library::items::ItemFilter;

/// Which items; of whom the personal ones are the request tells.
#[derive(Debug)]
pub struct ItemQuery {
    favorites: bool,
    watched: Option<bool>,
    missing: Option<bool>,
    added_since: Option<Timestamp>,
    shuffle: Option<i64>,
}

impl ItemQuery {
    /// Reads `favorites`, `missing` and `addedSince`, which every list of items has.
    pub fn read(params: &mut QueryParams<'_>) -> Self {
        let favorites = "The caller's favorites alone: rated 0.8 or more.";
        let missing = "Those alone whose files were gone at the last run, or with `false` those whose files were there.";
        Self {
            favorites: params.boolean("favorites", favorites).unwrap_or(false),
            watched: None,
            missing: params.boolean("missing", missing),
            added_since: params.moment("addedSince", "First indexed then or later."),
            shuffle: None,
        }
    }

    /// Reads `watched` as well, for what is watched.
    #[must_use]
    pub fn with_watched(mut self, params: &mut QueryParams<'_>) -> Self {
        let about = "Those alone that the caller has watched, or with `false` those not; a show is watched when each of \
                     its episodes is.";
        self.watched = params.boolean("watched", about);
        self
    }

    /// Reads `random` as well, for lists of many orders.
    #[must_use]
    pub fn with_random(mut self, params: &mut QueryParams<'_>) -> Self {
        let about = "In a random order, which is the same for the same number; `orderBy` says nothing then.";
        self.shuffle = params.integer("random", about, i64::MIN..=i64::MAX);
        self
    }

    /// The filter for this user.
    pub fn of(self, user: UserId) -> ItemFilter {
        ItemFilter {
            favorite_of: self.favorites.then_some(user),
            watched: self.watched.map(|watched| (user, watched)),
            missing: self.missing,
            added_since: self.added_since,
            shuffle: self.shuffle,
        }
    }
}
