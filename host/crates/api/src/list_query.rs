//! Query parameters of lists: page, order, libraries, and the filters that all lists of media items share.

use std::fmt::Debug;

use crate::query::{FromQuery, QueryParams};
use svc_domain::id::{LibraryId, UserId};
use svc_domain::list::{Cursor, ListRequest, Order, OrderedPagination, Pagination};
use svc_domain::time::Timestamp;
use svc_library::items::ItemFilter;

const DIRECTIONS: [(&str, Order); 2] = [("ASC", Order::Ascending), ("DESC", Order::Descending)];
const ORDER_BY: &str = "The value to order by.";
const DIRECTION: &str = "The direction of the order.";

/// A value of `orderBy`: its name, the order it stands for, and the default direction of that order.
pub type OrderChoice<T> = (&'static str, T, Order);

/// The values of `orderBy` that a list accepts.
#[derive(Debug, Clone, Copy)]
pub struct OrderChoices<T: 'static> {
    /// The order of a request without `orderBy`.
    pub default: OrderChoice<T>,
    /// The other orders.
    pub others: &'static [OrderChoice<T>],
}

/// An order of a list that clients choose by `orderBy`.
pub trait ListOrder: Copy + Debug + Send + 'static {
    /// The orders of the list.
    const CHOICES: OrderChoices<Self>;
}

/// The filter of a list of media items, with the parameters of its own that it reads.
pub trait ListFilter: Debug + Send + Sized {
    /// The orders of the list.
    type Order: ListOrder;

    /// Whether the list has the parameter `watched`.
    const HAS_WATCHED: bool = false;

    /// Reads the parameters that other lists do not have.
    fn read(params: &mut QueryParams<'_>) -> Self;

    /// The part of the filter that all lists of media items share.
    fn item_filter(&mut self) -> &mut ItemFilter;

    /// Reports an order that does not fit the filter.
    fn check_order(&self, _by: Self::Order, _params: &mut QueryParams<'_>) {}
}

/// The query of a list of media items: filter, order and page.
#[derive(Debug)]
pub struct ListQuery<F: ListFilter> {
    filter: F,
    items: ItemQuery,
    request: ListRequest<F::Order>,
}

impl<F: ListFilter> FromQuery for ListQuery<F> {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let filter = F::read(params);
        let mut items = ItemQuery::read(params);
        if F::HAS_WATCHED {
            items = items.with_watched(params);
        }
        items = items.with_random(params);
        let request = ListRequest::<F::Order>::read(params);
        filter.check_order(request.by, params);
        Self {
            filter,
            items,
            request,
        }
    }
}

impl<F: ListFilter> ListQuery<F> {
    /// The filter for this user, and the requested page.
    pub fn for_user(mut self, user: UserId) -> (F, ListRequest<F::Order>) {
        *self.filter.item_filter() = self.items.for_user(user);
        (self.filter, self.request)
    }
}

/// The parameters that all lists of media items share. The user of `favorites` and `watched` is the caller.
#[derive(Debug)]
pub struct ItemQuery {
    favorites: bool,
    watched: Option<bool>,
    missing: Option<bool>,
    added_since: Option<Timestamp>,
    shuffle: Option<i64>,
}

impl ItemQuery {
    /// Reads `favorites`, `missing` and `addedSince`, which every list of media items has.
    pub fn read(params: &mut QueryParams<'_>) -> Self {
        let favorites = "`true`: only items that the caller rated 0.8 or more.";
        let missing = "`true`: only items whose files were missing in the last run of the indexer; `false`: only items \
                       with a file.";
        Self {
            favorites: params.boolean("favorites", favorites).unwrap_or(false),
            watched: None,
            missing: params.boolean("missing", missing),
            added_since: params.date_time("addedSince", "Only items first indexed at or after this time."),
            shuffle: None,
        }
    }

    /// Reads `watched`, for lists of videos.
    #[must_use]
    pub fn with_watched(mut self, params: &mut QueryParams<'_>) -> Self {
        let about = "`true`: only items that the caller has watched; `false`: only items that the caller has not \
                     watched. A TV show is watched when all its episodes are.";
        self.watched = params.boolean("watched", about);
        self
    }

    /// Reads `random`, for lists with several orders.
    #[must_use]
    pub fn with_random(mut self, params: &mut QueryParams<'_>) -> Self {
        let about = "Seed of a random order: the same seed gives the same order. `orderBy` is ignored.";
        self.shuffle = params.integer("random", about, i64::MIN..=i64::MAX);
        self
    }

    /// The filter for this user.
    pub fn for_user(self, user: UserId) -> ItemFilter {
        ItemFilter {
            favorite_of: self.favorites.then_some(user),
            watched: self.watched.map(|watched| (user, watched)),
            missing: self.missing,
            added_since: self.added_since,
            shuffle: self.shuffle,
        }
    }
}

/// A page of a list that is not one of media items, with its order: `orderBy`, `order`, `take`, `skip`.
#[derive(Debug)]
pub struct OrderedPage<T> {
    /// The value to order by.
    pub by: T,
    /// The direction.
    pub order: Order,
    /// The page.
    pub page: Pagination,
}

impl<T: ListOrder> FromQuery for OrderedPage<T> {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let (by, order) = ordering(params, &T::CHOICES);
        Self {
            by,
            order,
            page: page(params),
        }
    }
}

/// Reads `orderBy`, `order`, `take`, `skip`, `after` and `libraryIds`.
impl<T: ListOrder> FromQuery for ListRequest<T> {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let (by, order) = ordering(params, &T::CHOICES);
        let page = page(params);
        Self {
            by,
            order,
            page,
            after: cursor(params, page),
            libraries: libraries(params),
        }
    }
}

/// Reads `after`, which must not be combined with the `skip` of `page`.
pub fn cursor(params: &mut QueryParams<'_>, page: Pagination) -> Option<Cursor> {
    let about = "Position after which the page begins, in place of `skip`: from the `Link` header with `rel=\"next\"` \
                 of the previous page.";
    let after = params.parsed("after", about, "taken from the `Link` header of another page");
    if after.is_some() && page.skip > 0 {
        params.fail("skip", "must not be combined with `after`");
    }
    after
}

/// Reads `take` and `skip`.
pub fn page(params: &mut QueryParams<'_>) -> Pagination {
    page_of(params, Pagination::DEFAULT_TAKE)
}

fn page_of(params: &mut QueryParams<'_>, default: u32) -> Pagination {
    let about = format!("Maximum number of items in the response; default: {default}.");
    let take = params.integer("take", &about, 0..=i64::from(Pagination::MAX_TAKE));
    let skip = params.integer("skip", "Number of items to skip.", 0..=i64::MAX);
    Pagination {
        take: take.unwrap_or(default),
        skip: skip.unwrap_or(0),
    }
}

/// Reads `orderBy` and `order`.
fn ordering<T: Copy + 'static>(params: &mut QueryParams<'_>, choices: &OrderChoices<T>) -> (T, Order) {
    let (default, _, default_order) = choices.default;
    let all = || std::iter::once(&choices.default).chain(choices.others);
    let names: Vec<_> = all().map(|&(name, by, order)| (name, (by, order))).collect();
    let chosen = params.choice_or("orderBy", ORDER_BY, &names, Some(default));
    let order = if all().all(|(_, _, order)| *order == default_order) {
        let default = Some(direction_name(default_order));
        params.choice_or("order", DIRECTION, &DIRECTIONS, default)
    } else {
        let each: Vec<String> = all()
            .map(|(name, _, order)| format!("{} for `{name}`", direction_name(*order)))
            .collect();
        let about = format!("The direction of the order; default: {}.", each.join(", "));
        params.choice("order", &about, &DIRECTIONS)
    };
    let (_, by, _) = choices.default;
    let (by, default_order) = chosen.unwrap_or((by, default_order));
    (by, order.unwrap_or(default_order))
}

/// Reads `libraryIds`.
pub fn libraries(params: &mut QueryParams<'_>) -> Vec<LibraryId> {
    let about = "Only items in one of these libraries; default: all libraries that the caller has access to.";
    let names = params.texts("libraryIds", about);
    let libraries: Vec<LibraryId> = names.iter().filter_map(|id| id.parse().ok()).collect();
    if libraries.len() < names.len() {
        params.fail("libraryIds", "must be ids of libraries");
    }
    libraries
}

/// Reads `take`, `skip` and `order`, and `orderBy`, which has the single value `by`.
pub fn page_in_order_of(params: &mut QueryParams<'_>, by: &str, default: Order) -> OrderedPagination {
    only_order(params, "orderBy", by);
    OrderedPagination {
        order: direction(params, default),
        page: page(params),
    }
}

/// Reads the same parameters as [`page_in_order_of`], for lists that clients read as a whole: ascending, and `take` has its
/// maximum as default.
pub fn short_list_in_order_of(params: &mut QueryParams<'_>, by: &str) -> OrderedPagination {
    only_order(params, "orderBy", by);
    OrderedPagination {
        order: direction(params, Order::Ascending),
        page: page_of(params, Pagination::MAX_TAKE),
    }
}

/// Reads `take` and `skip`, and `orderBy` and `order`, which have the single values `by` and `DESC`.
pub fn page_of_latest(params: &mut QueryParams<'_>, by: &str) -> Pagination {
    only_order(params, "orderBy", by);
    params.choice_or("order", DIRECTION, &[("DESC", ())], Some("DESC"));
    page(params)
}

/// Reads `order`.
pub fn direction(params: &mut QueryParams<'_>, default: Order) -> Order {
    params
        .choice_or("order", DIRECTION, &DIRECTIONS, Some(direction_name(default)))
        .unwrap_or(default)
}

/// Reads `order`, whose default depends on other parameters.
pub fn direction_or_none(params: &mut QueryParams<'_>, about: &str) -> Option<Order> {
    params.choice("order", about, &DIRECTIONS)
}

/// Reads a parameter that has the single value `by`.
fn only_order(params: &mut QueryParams<'_>, name: &str, by: &str) {
    params.choice_or(name, ORDER_BY, &[(by, ())], Some(by));
}

fn direction_name(order: Order) -> &'static str {
    match order {
        Order::Ascending => "ASC",
        Order::Descending => "DESC",
    }
}

/// Reads `sort`, which has the single value `by`, and `order`.
pub fn sort_by(params: &mut QueryParams<'_>, by: &str, default: Order) -> Order {
    only_order(params, "sort", by);
    direction(params, default)
}

#[cfg(test)]
#[path = "list_query_tests.rs"]
mod tests;
