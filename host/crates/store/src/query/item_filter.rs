//! The filters that all lists of items have: what a user did with them, whether they are there, since when they are known.

use crate::db::args::Arg;
use crate::query::access_filter::AccessFilter;
use crate::query::where_clause::WhereClause;
use svc_domain::change::ItemType;
use svc_domain::id::UserId;
use svc_domain::library::MediaScope;
use svc_domain::time::Timestamp;

/// Which items of a type.
#[derive(Debug, Clone, Default)]
pub struct ItemFilter {
    /// Favorites of this user.
    pub favorite_of: Option<UserId>,
    /// This user has watched them, or has not.
    pub watched: Option<(UserId, bool)>,
    /// None of the files that are seen is there, or one is.
    pub missing: Option<bool>,
    /// First indexed at this moment or later.
    pub added_since: Option<Timestamp>,
    /// In the random order of this seed, whatever else is asked for.
    pub shuffle: Option<i64>,
}

/// A type of item in a query.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Filtered {
    pub(crate) item: ItemType,
    pub(crate) access: AccessFilter,
    /// Column of the item's number.
    pub(crate) key: &'static str,
    /// The least number of an item that was indexed at a moment or later.
    pub(crate) first_at: fn(Timestamp) -> i64,
}

/// Of rows `u` of what users did: those of a type of item, of the user whose number is to follow.
fn of_user(item: ItemType) -> String {
    format!("u.item_type = {} AND u.user_id = ", item as i16)
}

impl ItemFilter {
    /// Adds the filters to the conditions of a list. The order is the list's to make.
    pub(crate) fn narrow<'a>(&self, items: &mut WhereClause<'a>, of: Filtered, scope: &MediaScope) {
        let Filtered {
            item,
            access,
            key,
            first_at,
        } = of;
        if let Some(user) = self.favorite_of {
            items.push_of_user(&favorite(item, key), user);
        }
        if let Some((user, watched)) = self.watched {
            let not = if watched { "" } else { "NOT " };
            items.push_of_user(&format!("{not}{}", is_watched(item, key, scope)), user);
        }
        if let Some(missing) = self.missing {
            let not = if missing { "NOT " } else { "" };
            items.push_all(&format!("{not}{}", access.is_there(key, scope)), [], "");
        }
        if let Some(first) = self.added_since.map(first_at) {
            items.push_all(&format!("{key} >= "), [Arg::from(first)], "");
        }
    }
}

/// That an item is a favorite of the user `$user`: as it is shown to them, so that a photo which they did not rate has the
/// stars of its file. `domain::user_data::FAVORITE` says what a favorite is.
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

/// That the user `$user` has watched an item; of a show, every episode that they see.
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
