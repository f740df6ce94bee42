//! An uploaded plugin whose pages are hostile: each list and page costs its own file only.

use std::collections::BTreeMap;

use serde_json::json;
use svc_covers::covers;

use crate::plugins::hostile::Fixture;
use svc_test_support::guests;

/// First letters of files whose lists of pages fail, see `pages.wat`, with the codes of the failures.
const LISTS: [(&str, &str); 9] = [
    ("outside", "bad_output"),
    ("mime", "bad_output"),
    ("wide", "bad_output"),
    ("label", "budget"),
    ("n: 10,001 pages", "budget"),
    ("z: ten million pages", "bad_output"),
    ("b: ten million pages that are there", "out_of_memory"),
    ("trap", "trap"),
    ("slow", "timeout"),
];

/// A server with these files, whose names are their contents, and the plugin of `pages.wat`.
async fn with_files(contents: impl Iterator<Item = &'static str>) -> (Fixture, BTreeMap<String, String>) {
    let fixture = Fixture::with_things(0).await;
    for content in contents {
        fixture.put("things", &format!("{content}.shared"), content.as_bytes());
    }
    // Room for a page that is larger than pages may be.
    let manifest = guests::kind_manifest("things", "things").replace("memory-mib = 64", "memory-mib = 128");
    let installed = fixture.install("things", &guests::body("pages"), &manifest).await;
    assert_eq!(installed["abilities"], json!(["extractor", "pages"]));
    fixture.scan().await;
    let items = fixture.items("things").await.into_iter();
    let pages = items.map(|item| {
        let (title, id) = (item["title"].as_str().unwrap(), item["itemId"].as_str().unwrap());
        (title.to_owned(), format!("/api/v1/items/{id}/pages"))
    });
    let pages = pages.collect();
    (fixture, pages)
}

fn unavailable() -> (u16, Option<String>) {
    (422, Some("pages_unavailable".to_owned()))
}

#[covers("code pages_unavailable")]
#[tokio::test]
async fn hostile_lists_of_pages_cost_their_own_files_only() {
    let contents = LISTS.iter().map(|(content, _)| *content);
    let (fixture, pages) = with_files(contents.chain(["good"])).await;
    assert_eq!(pages.len(), LISTS.len() + 1);
    let before = fixture.items("things").await;
    let mut failures = BTreeMap::new();
    for (content, code) in LISTS {
        let pages = &pages[content];
        let refused = fixture.owner.get(pages).await;
        assert_eq!((refused.status, refused.code()), unavailable(), "{content}");
        *failures.entry(code).or_insert(0) += 1;
    }
    let plugin = fixture.plugin("things").await;
    assert_eq!(plugin["state"], "active", "{plugin}");
    assert_eq!(plugin["stats"]["failures"], json!(failures));
    let listed = fixture.owner.get(&pages["good"]).await.json();
    assert_eq!(listed.as_array().unwrap().len(), 2);
    assert_eq!(
        fixture.owner.get(&format!("{}/2", pages["good"])).await.body,
        b"Cov"
    );
    assert_eq!(fixture.items("things").await, before);
}

#[tokio::test]
async fn page_that_is_a_bomb_costs_that_page_only() {
    let (fixture, pages) = with_files(["door"].into_iter()).await;
    let pages = &pages["door"];
    let listed = fixture.owner.get(pages).await.json();
    assert_eq!(listed.as_array().unwrap().len(), 4);
    // 65 MiB, and a trap.
    for page in [3, 4] {
        let refused = fixture.owner.get(&format!("{pages}/{page}")).await;
        assert_eq!((refused.status, refused.code()), unavailable(), "{page}");
    }
    for (page, bytes) in [(1, &b"door"[..]), (2, b"Cov")] {
        let whole = fixture.owner.get(&format!("{pages}/{page}")).await;
        assert_eq!((whole.status, whole.body.as_slice()), (200, bytes), "{page}");
    }
    let plugin = fixture.plugin("things").await;
    assert_eq!(
        (&plugin["state"], &plugin["stats"]["failures"]),
        (&json!("active"), &json!({"budget": 1, "trap": 1}))
    );
}
