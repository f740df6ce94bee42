//! Filters that all lists of items share: user data, missing files, time of indexing.

use crate::query::access_filter::AccessFilter;
use crate::query::where_clause::WhereClause;
use svc_database::args::Arg;
use svc_domain::change::ItemType;
use svc_domain::id::UserId;
use svc_domain::library::MediaScope;
use svc_domain::time::Timestamp;

/// Filter of items of one type.
#[derive(Debug, Clone, Default)]
pub struct ItemFilter {
    /// Favorites of this user.
    pub favorite_of: Option<UserId>,
    /// Watched, or not watched, by this user.
    pub watched: Option<(UserId, bool)>,
    /// All accessible files are missing, or one is present.
    pub missing: Option<bool>,
    /// First indexed at this moment or later.
    pub added_since: Option<Timestamp>,
    /// Random order of this seed, in place of the requested order.
    pub shuffle: Option<i64>,
}

/// The item type of a filtered query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Filtered {
    pub(crate) item: ItemType,
    pub(crate) access: AccessFilter,
    /// Id column.
    pub(crate) key: &'static str,
    /// The lowest id of an item indexed at a moment or later.
    pub(crate) first_at: fn(Timestamp) -> i64,
}

/// Condition on rows `u` of `user_items`: this item type, and the user, whose id follows.
fn of_user(item: ItemType) -> String {
    format!("u.item_type = {} AND u.user_id = ", item as i16)
}

impl ItemFilter {
    /// Adds the filters to the conditions of a list; `shuffle` is up to the caller.
    pub(crate) fn restrict_to<'a>(&self, items: &mut WhereClause<'a>, of: Filtered, scope: &MediaScope) {
        let Filtered {
            item,
            access,
            key,
            first_at,
        } = of;
        if let Some(user) = self.favorite_of {
            items.push_user_condition(&favorite(item, key), user);
        }
        if let Some((user, watched)) = self.watched {
            let not = if watched { "" } else { "NOT " };
            items.push_user_condition(&format!("{not}{}", is_watched(item, key, scope)), user);
        }
        if let Some(missing) = self.missing {
            let not = if missing { "NOT " } else { "" };
            items.push_condition(&format!("{not}{}", access.is_there(key, scope)));
        }
        if let Some(first) = self.added_since.map(first_at) {
            items.push_values(&format!("{key} >= "), [Arg::from(first)], "");
        }
    }
}

/// Condition that an item is a favorite of the user `$user`. An unrated photo counts with the stars of its file.
/// `svc_domain::user_data::FAVORITE` is the threshold.
fn favorite(item: ItemType, key: &str) -> String {
    let of_user = of_user(item);
    let rated =
        format!("{key} IN (SELECT u.item_id FROM user_items u WHERE u.rating >= 0.8 AND {of_user}$user)");
    if item != ItemType::Photo {
        return rated;
    }
    format!(
        "({rated} OR p.rating IN (4, 5) AND NOT EXISTS (SELECT 1 FROM user_items u WHERE u.rated_at IS NOT NULL \
         AND u.item_id = {key} AND {of_user}$user))"
    )
}

/// Condition that the user `$user` has watched an item; for a show, every accessible episode.
fn is_watched(item: ItemType, key: &str, scope: &MediaScope) -> String {
    if item != ItemType::TvShow {
        let of_user = of_user(item);
        return format!("({key} IN (SELECT u.item_id FROM user_items u WHERE u.watched AND {of_user}$user))");
    }
    let of_user = of_user(ItemType::TvEpisode);
    let seen = AccessFilter::Episodes.and("we.episode_id", scope);
    format!(
        "(NOT EXISTS (SELECT 1 FROM tv_episodes we WHERE we.show_id = {key}{seen} AND NOT EXISTS \
         (SELECT 1 FROM user_items u WHERE u.watched AND u.item_id = we.episode_id AND {of_user}$user)))"
    )
}
