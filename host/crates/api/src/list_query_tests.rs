//! Page and order of lists.

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
fn lists_with_one_order_reject_other_orders() {
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
        let part = short_list_in_order_of(&mut params, "number");
        let valid = params.into_errors().is_empty();
        let outcome = valid.then_some((part.order, part.page.take));
        assert_eq!(outcome, order.map(|order| (order, take)), "{query:?}");
        let mut params = QueryParams::new(query.clone());
        let part = page_in_order_of(&mut params, "number", Order::Ascending);
        let valid = params.into_errors().is_empty();
        assert_eq!(valid.then_some(part.order), order, "{query:?}");
    }
    for (query, valid) in [
        (vec![("orderBy", "playedAt"), ("order", "DESC")], true),
        (vec![("order", "ASC")], false),
        (vec![("orderBy", "title")], false),
    ] {
        let mut params = QueryParams::new(query.clone());
        page_of_latest(&mut params, "playedAt");
        assert_eq!(params.into_errors().is_empty(), valid, "{query:?}");
    }
}

#[test]
fn ordering_rejects_unknown_words() {
    let choices = OrderChoices {
        default: ("title", 'a', Order::Ascending),
        others: &[("createdAt", 'b', Order::Descending)],
    };
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
        let valid = params.into_errors().is_empty();
        assert_eq!(valid.then_some(ordering), expected, "{query:?}");
    }
}
