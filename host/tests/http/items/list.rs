//! `GET /items`.

use serde_json::json;
use svc_covers::covers;

use super::{ItemFixture, stranger, titles};
use crate::support::client::redacted;

#[covers("GET /api/v1/items")]
#[tokio::test]
async fn item_record_matches_the_contract() {
    let fixture = ItemFixture::new().await;
    let list = fixture.get("/api/v1/items?kind=comics").await.json();
    assert_eq!(list[0][0]["itemId"], fixture.comics[0]);
    let mut item = list[0][0].clone();
    assert_eq!(
        item["artwork"].take(),
        format!("/api/v1/items/{}/artwork", fixture.comics[0])
    );
    insta::assert_json_snapshot!(redacted(item), @r#"
    {
      "artwork": null,
      "createdAt": "[time]",
      "fields": {
        "x.guest.number": 10,
        "x.guest.series": "The Saga"
      },
      "itemId": "[id]",
      "kind": "comics",
      "missing": false,
      "pageCount": 40,
      "partCount": 1,
      "sortTitle": "alpha",
      "title": "Alpha"
    }
    "#);
    let books = fixture.get("/api/v1/items?kind=books").await.json();
    let book = &books[0][0];
    assert_eq!(
        (&book["partCount"], &book["duration"]),
        (&json!(60), &json!(3600.0))
    );
    assert_eq!(book["fields"]["x.books.read-by"], json!(["Reader 1", "Reader 0"]));
    assert!(
        book["unavailable"]["reason"]
            .as_str()
            .unwrap()
            .contains("no plugin defines")
    );
}

#[tokio::test]
async fn items_are_ordered_filtered_and_paged() {
    let fixture = ItemFixture::new().await;
    let cases: &[(&str, &[&str])] = &[
        ("", &["Alpha", "Beta", "Gamma"]),
        ("order=DESC", &["Gamma", "Beta", "Alpha"]),
        ("orderBy=createdAt", &["Gamma", "Beta", "Alpha"]),
        ("orderBy=x.guest.number", &["Beta", "Alpha", "Gamma"]),
        ("orderBy=x.guest.number&order=DESC", &["Alpha", "Beta", "Gamma"]),
        ("orderBy=x.guest.series", &["Gamma", "Alpha", "Beta"]),
        ("filter[x.guest.series]=THE%20SAGA", &["Alpha", "Beta"]),
        (
            "filter%5Bx.guest.series%5D=other&filter[x.guest.series][]=the%20saga",
            &["Alpha", "Beta", "Gamma"],
        ),
        ("filter[x.guest.series]=saga", &[]),
        (
            "filter[x.guest.series]=%27%29%3B%20DROP%20TABLE%20items%3B%20--",
            &[],
        ),
        ("q=sag%20bet", &["Beta"]),
        ("q=%27%22*", &[]),
        ("missing=true", &[]),
        ("missing=false&q=other", &["Gamma"]),
        ("favorites=true", &[]),
        ("addedSince=2999-01-01", &[]),
    ];
    for (query, expected) in cases {
        let (found, total) = fixture.titles(&format!("kind=comics&{query}")).await;
        assert_eq!(
            (found, total),
            (
                expected.iter().map(|&title| title.to_owned()).collect(),
                expected.len() as u64
            ),
            "{query}"
        );
    }
    let (mut shuffled, total) = fixture.titles("kind=comics&random=7").await;
    shuffled.sort();
    assert_eq!((shuffled.len(), total), (3, 3));
    let mut target = "/api/v1/items?kind=comics&orderBy=x.guest.number&take=1".to_owned();
    for title in ["Beta", "Alpha", "Gamma"] {
        let page = fixture.get(&target).await;
        assert_eq!(
            (&page.json()[0][0]["title"], &page.json()[1]),
            (&json!(title), &json!(3))
        );
        let link = page.header("link").to_owned();
        target = link.trim_start_matches('<').split('>').next().unwrap().to_owned();
    }
    assert_eq!(fixture.get(&target).await.json()[0], json!([]));
    // The cursor is one of another order.
    let foreign = target.replace("x.guest.number", "x.guest.series");
    assert_eq!(fixture.get(&foreign).await.status, 400);
}

#[tokio::test]
async fn unknown_kinds_fields_and_values_are_named() {
    let fixture = ItemFixture::new().await;
    for (query, path) in [
        ("", "kind"),
        ("kind=", "kind"),
        ("kind=music", "kind"),
        ("kind=Comics%27", "kind"),
        ("kind=unknown", "kind"),
        ("kind=comics&orderBy=x.guest.pages", "orderBy"),
        ("kind=comics&orderBy=item_id%3B--", "orderBy"),
        ("kind=comics&order=UP", "order"),
        ("kind=comics&filter[x.guest.number]=9", "filter[x.guest.number]"),
        (
            "kind=comics&filter[value%29%20OR%201%3D1]=9",
            "filter[value) OR 1=1]",
        ),
        ("kind=comics&filter[x.guest.series]=", "filter[x.guest.series]"),
        (
            "kind=books&filter[x.books.published]=1999-03",
            "filter[x.books.published]",
        ),
        ("kind=comics&filter=9", "filter"),
        ("kind=comics&filter[]=9", "filter"),
        ("kind=comics&take=1001", "take"),
    ] {
        let reply = fixture.get(&format!("/api/v1/items?{query}")).await;
        assert_eq!(reply.status, 400, "{query}");
        assert_eq!(
            reply.json()["errors"][0]["path"],
            path,
            "{query}: {}",
            reply.json()
        );
    }
    let many = (0..101).map(|number| format!("&filter[x.guest.series]={number}"));
    let reply = fixture
        .get(&format!("/api/v1/items?kind=comics{}", many.collect::<String>()))
        .await;
    assert_eq!(reply.status, 400);
}

#[tokio::test]
async fn items_of_closed_libraries_do_not_exist() {
    let fixture = ItemFixture::new().await;
    let stranger = stranger(&fixture).await;
    for query in [
        "kind=comics",
        "kind=comics&orderBy=x.guest.series",
        "kind=comics&q=saga",
    ] {
        assert_eq!(titles(&stranger, query).await, (vec![], 0), "{query}");
        assert_ne!(fixture.titles(query).await.1, 0, "{query}");
    }
    let facets = stranger
        .get("/api/v1/items/facets?kind=comics&key=x.guest.series")
        .await;
    assert_eq!(facets.json(), json!([[], 0]));
    let id = &fixture.comics[0];
    for path in ["", "/parts", "/artwork", "/stream"] {
        assert_eq!(
            stranger.get(&format!("/api/v1/items/{id}{path}")).await.status,
            404,
            "{path}"
        );
    }
    let found = stranger.get("/api/v1/search?q=saga").await.json();
    assert_eq!(found["comics"], json!([[], 0]));
    // The books are in no library.
    assert_eq!(titles(&stranger, "kind=books").await.1, 1);
    let mine = fixture.get("/api/v1/libraries").await.json();
    let library = mine[0][0]["libraryId"].as_str().unwrap().to_owned();
    let inside = fixture.titles(&format!("kind=comics&libraryIds={library}")).await;
    assert_eq!(inside.1, 3);
}
