//! Lists in the query: `take`, `skip`, `order`, `orderBy`.

use crate::query::QueryParams;
use svc_domain::id::LibraryId;
use svc_domain::list::{ListRequest, Order, OrderedPagination, Pagination};

const ORDERS: [(&str, Order); 2] = [("ASC", Order::Ascending), ("DESC", Order::Descending)];

/// Reads `take` and `skip`.
pub fn page(params: &mut QueryParams<'_>) -> Pagination {
    page_of(params, Pagination::DEFAULT_TAKE)
}

fn page_of(params: &mut QueryParams<'_>, default: u32) -> Pagination {
    let about = format!("Items to answer with; {default} if not said.");
    let take = params.integer("take", &about, 0..=i64::from(Pagination::MAX_TAKE));
    let skip = params.integer("skip", "Items to pass over.", 0..=i64::MAX);
    Pagination {
        take: take.and_then(|take| u32::try_from(take).ok()).unwrap_or(default),
        skip: skip.and_then(|skip| u64::try_from(skip).ok()).unwrap_or(0),
    }
}

/// Reads `orderBy` and `order`. The first choice is the default, with its own natural direction.
pub fn ordering<T: Copy>(params: &mut QueryParams<'_>, choices: &[(&str, T, Order)]) -> Option<(T, Order)> {
    let words: Vec<_> = choices
        .iter()
        .map(|&(word, by, order)| (word, (by, order)))
        .collect();
    let default = choices.first().map(|&(word, _, order)| (word, word_of(order)));
    let chosen = params.choice_or(
        "orderBy",
        "What to order by.",
        &words,
        default.map(|(word, _)| word),
    );
    let natural = default.map(|(_, order)| order);
    let is_natural = |(_, _, order): &(&str, T, Order)| Some(word_of(*order)) == natural;
    let order = if choices.iter().all(is_natural) {
        params.choice_or("order", "Direction.", &ORDERS, natural)
    } else {
        let of = |(word, _, order): &(&str, T, Order)| format!("{} by `{word}`", word_of(*order));
        let each: Vec<String> = choices.iter().map(of).collect();
        let about = format!("Direction; if not said, {}.", each.join(", "));
        params.choice("order", &about, &ORDERS)
    };
    let (by, natural) = chosen.or_else(|| choices.first().map(|&(_, by, order)| (by, order)))?;
    Some((by, order.unwrap_or(natural)))
}

/// Reads which part of a list of media is wanted, in which order: `orderBy`, `order`, `take`, `skip`, `after`.
pub fn list<T: Copy>(
    params: &mut QueryParams<'_>,
    choices: &[(&str, T, Order)],
    default: T,
) -> ListRequest<T> {
    let (by, order) = ordering(params, choices).unwrap_or((default, Order::Ascending));
    let page = page(params);
    let about =
        "Begin where another answer's `Link` header with `rel=\"next\"` says, instead of passing over items.";
    let after = params.parsed("after", about, "taken from the link of another answer");
    if after.is_some() && page.skip > 0 {
        params.fail("skip", "does not go with `after`");
    }
    ListRequest {
        by,
        order,
        page,
        after,
        libraries: libraries(params),
    }
}

/// Reads `libraryIds`.
pub fn libraries(params: &mut QueryParams<'_>) -> Vec<LibraryId> {
    let about = "In one of these libraries; all that the caller may see if not said.";
    let names = params.texts("libraryIds", about);
    let libraries: Vec<LibraryId> = names.iter().filter_map(|id| id.parse().ok()).collect();
    if libraries.len() < names.len() {
        params.fail("libraryIds", "must be ids of libraries");
    }
    libraries
}

/// Reads `orderBy`, which has one choice, `order`, `take` and `skip`.
pub fn ordered(params: &mut QueryParams<'_>, by: &str, natural: Order) -> OrderedPagination {
    one_order(params, "orderBy", by);
    OrderedPagination {
        order: direction(params, natural),
        page: page(params),
    }
}

/// As [`ordered`], for a list that is read at once: as much of it as one answer holds if `take` is not said.
pub fn whole(params: &mut QueryParams<'_>, by: &str) -> OrderedPagination {
    one_order(params, "orderBy", by);
    OrderedPagination {
        order: direction(params, Order::Ascending),
        page: page_of(params, Pagination::MAX_TAKE),
    }
}

/// Reads `take` and `skip` of a list that begins with the last, by what `orderBy` may name.
pub fn latest(params: &mut QueryParams<'_>, by: &str) -> Pagination {
    one_order(params, "orderBy", by);
    params.choice_or("order", "Direction.", &[("DESC", ())], Some("DESC"));
    page(params)
}

/// Reads `order` alone, for what has one order.
pub fn direction(params: &mut QueryParams<'_>, natural: Order) -> Order {
    params
        .choice_or("order", "Direction.", &ORDERS, Some(word_of(natural)))
        .unwrap_or(natural)
}

/// Reads what to order by where there is one choice.
fn one_order(params: &mut QueryParams<'_>, name: &str, by: &str) {
    params.choice_or(name, "What to order by.", &[(by, ())], Some(by));
}

fn word_of(order: Order) -> &'static str {
    match order {
        Order::Ascending => "ASC",
        Order::Descending => "DESC",
    }
}

/// Reads `sort`, which has one choice, and `order`.
pub fn sort(params: &mut QueryParams<'_>, by: &str, natural: Order) -> Order {
    one_order(params, "sort", by);
    direction(params, natural)
}

#[cfg(test)]
mod tests {
    use svc_covers::covers;

    use super::*;

    #[covers("R47", "T45")]
    #[test]
    fn page_has_defaults_and_bounds() {
        for (query, expected) in [
            (vec![], Some((12, 0))),
            (vec![("take", "0")], Some((0, 0))),
            (vec![("take", "1000"), ("skip", "5")], Some((1000, 5))),
            (
                vec![("skip", "9223372036854775807")],
                Some((12, i64::MAX.unsigned_abs())),
            ),
            (vec![("take", "1001")], None),
            (vec![("take", "-1")], None),
            (vec![("skip", "-1")], None),
            (vec![("skip", "9223372036854775808")], None),
            (vec![("take", "1.5")], None),
            (vec![("take", "")], None),
        ] {
            let mut params = QueryParams::new(query.clone());
            let page = page(&mut params);
            let outcome = params.into_errors().is_empty().then_some((page.take, page.skip));
            assert_eq!(outcome, expected, "{query:?}");
        }
    }

    #[test]
    fn lists_of_one_order_take_its_word_alone() {
        for (query, order, take) in [
            (vec![], Some(Order::Ascending), 1000),
            (vec![("take", "2")], Some(Order::Ascending), 2),
            (
                vec![("orderBy", "number"), ("order", "DESC")],
                Some(Order::Descending),
                1000,
            ),
            (vec![("orderBy", "password")], None, 0),
            (vec![("order", "up")], None, 0),
            (vec![("take", "abc")], None, 0),
        ] {
            let mut params = QueryParams::new(query.clone());
            let part = whole(&mut params, "number");
            let good = params.into_errors().is_empty();
            let outcome = good.then_some((part.order, part.page.take));
            assert_eq!(outcome, order.map(|order| (order, take)), "{query:?}");
            let mut params = QueryParams::new(query.clone());
            let part = ordered(&mut params, "number", Order::Ascending);
            let good = params.into_errors().is_empty();
            assert_eq!(good.then_some(part.order), order, "{query:?}");
        }
        for (query, good) in [
            (vec![("orderBy", "playedAt"), ("order", "DESC")], true),
            (vec![("order", "ASC")], false),
            (vec![("orderBy", "title")], false),
        ] {
            let mut params = QueryParams::new(query.clone());
            latest(&mut params, "playedAt");
            assert_eq!(params.into_errors().is_empty(), good, "{query:?}");
        }
    }

    #[test]
    fn ordering_takes_known_words_alone() {
        let choices = [
            ("title", 'a', Order::Ascending),
            ("createdAt", 'b', Order::Descending),
        ];
        for (query, expected) in [
            (vec![], Some(('a', Order::Ascending))),
            (vec![("orderBy", "createdAt")], Some(('b', Order::Descending))),
            (
                vec![("orderBy", "createdAt"), ("order", "ASC")],
                Some(('b', Order::Ascending)),
            ),
            (vec![("order", "DESC")], Some(('a', Order::Descending))),
            (vec![("order", "desc")], None),
            (vec![("orderBy", "password")], None),
            (vec![("orderBy", "title; DROP TABLE users")], None),
        ] {
            let mut params = QueryParams::new(query.clone());
            let ordering = ordering(&mut params, &choices);
            assert_eq!(
                ordering.filter(|_| params.into_errors().is_empty()),
                expected,
                "{query:?}"
            );
        }
    }
}
