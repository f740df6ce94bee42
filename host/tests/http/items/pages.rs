//! `GET /items/{itemId}/pages` and `/pages/{pageNumber}`, with the built-in plugin for comics.

use serde_json::{Value, json};
use svc_covers::covers;

use super::{ItemFixture, stranger, with_comics};
use crate::UNKNOWN;
use crate::photos::thumbnail::DRAWN;
use crate::support::{Client, TestServer, TestServerOptions};
use svc_plugin_host::{BuiltIn, Component};
use svc_test_support::archives::{Packed, zip};
use svc_test_support::guests;

const INFO: &[u8] = br#"<ComicInfo><Series>Saga</Series><Number>3</Number><Pages>
    <Page Image="0" Type="FrontCover"/><Page Image="1" Bookmark="One"/></Pages></ComicInfo>"#;

/// A PNG by its header, with bytes that compress.
fn picture(width: u8, height: u8) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0".to_vec();
    bytes.extend([width, 0, 0, 0, height, 8, 2, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend((0..400_000_u32).map(|at| (at / 7) as u8 ^ width));
    bytes
}

/// A comic of three pages: the first one stored, the others deflated.
fn comic(first: &[u8], second: &[u8], third: &[u8]) -> Vec<u8> {
    zip(&[
        Packed::deflated("ComicInfo.xml", INFO),
        Packed::deflated("10.png", third),
        Packed::deflated("2.png", second),
        Packed::stored("1.png", first),
    ])
}

struct Fixture {
    server: TestServer,
    owner: Client,
}

impl Fixture {
    async fn new() -> Self {
        let path = guests::repository().join("target/plugins/comics.wasm");
        let comics = std::fs::read(&path)
            .unwrap_or_else(|error| panic!("{}: {error}; run `cargo xtask plugins`", path.display()));
        let plugin = |name, bytes: Vec<u8>| BuiltIn {
            name,
            component: Component::Plain(bytes.leak()),
        };
        let server = TestServer::start_with(TestServerOptions {
            plugins: vec![
                plugin("comics", comics),
                plugin("drawer", guests::renderer("thumbnailer", "drawer")),
            ],
            roots: vec!["comics"],
            ..TestServerOptions::default()
        })
        .await;
        let owner = server.as_owner().await;
        Self { server, owner }
    }

    fn put(&self, name: &str, content: &[u8]) {
        std::fs::write(self.server.directory.path().join("comics").join(name), content).unwrap();
    }

    /// The ids of all comics, by title.
    async fn scan(&self) -> Vec<String> {
        let body = json!({"type": "quick", "mediaKinds": ["comics"]});
        assert_eq!(self.owner.post("/api/v1/index/run", &body).await.status, 201);
        self.server.state.indexing.wait_until_idle().await;
        let list = self.owner.get("/api/v1/items?kind=comics").await.json();
        let items = list[0].as_array().unwrap().iter();
        items
            .map(|item| item["itemId"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Scans one comic and returns the path of its pages.
    async fn pages_of(&self, content: &[u8]) -> String {
        self.put("Saga 003.cbz", content);
        let [id] = self.scan().await.try_into().unwrap();
        format!("/api/v1/items/{id}/pages")
    }

    fn calls(&self) -> u64 {
        let plugins = self.server.plugins.list().into_iter();
        let comics = plugins.filter(|status| status.id() == "comics");
        comics
            .filter_map(|status| status.stats)
            .map(|stats| stats.calls)
            .sum()
    }

    async fn refused(&self, target: &str) -> (u16, Value) {
        let reply = self.owner.get(target).await;
        (reply.status, reply.json()["code"].clone())
    }
}

#[covers("GET /api/v1/items/{itemId}/pages")]
#[tokio::test]
async fn pages_are_listed_in_reading_order() {
    let fixture = Fixture::new().await;
    let content = comic(&picture(1, 9), &picture(2, 9), b"broken");
    let pages = fixture.pages_of(&content).await;
    let listed = fixture.owner.get(&pages).await;
    assert_eq!(listed.status, 200);
    let url = |number| format!("{pages}/{number}");
    let expected = json!([
        {"number": 1, "label": "Front cover", "mimeType": "image/png", "width": 1, "height": 9, "url": url(1)},
        {"number": 2, "label": "One", "mimeType": "image/png", "width": 2, "height": 9, "url": url(2)},
        {"number": 3, "mimeType": "image/png", "url": url(3)},
    ]);
    assert_eq!(listed.json(), expected);
    // Kept in memory.
    let calls = fixture.calls();
    assert_eq!(fixture.owner.get(&pages).await.json(), expected);
    assert_eq!(fixture.calls(), calls);
    // The field is the plugin's, and the item knows the number.
    let item = fixture
        .owner
        .get(pages.strip_suffix("/pages").unwrap())
        .await
        .json();
    assert_eq!(
        (&item["pageCount"], &item["fields"]["x.comics.series"]),
        (&json!(3), &json!("Saga"))
    );
}

#[covers("GET /api/v1/items/{itemId}/pages/{pageNumber}")]
#[tokio::test]
async fn page_is_the_same_bytes_from_the_file_and_from_the_sandbox() {
    let fixture = Fixture::new().await;
    let originals = [picture(1, 9), picture(2, 9), picture(3, 9)];
    let pages = fixture
        .pages_of(&comic(&originals[0], &originals[1], &originals[2]))
        .await;
    for (number, original) in (1..).zip(&originals) {
        let target = format!("{pages}/{number}");
        let whole = fixture.owner.get(&target).await;
        assert_eq!(whole.status, 200, "{number}");
        assert!(whole.body == *original, "page {number}");
        assert_eq!(whole.header("content-type"), "image/png");
        assert_eq!(whole.header("content-disposition"), "inline");
        let tag = whole.header("etag").to_owned();
        // Read once, and cached.
        let calls = fixture.calls();
        let ask = |name: &'static str, value: String| {
            let (owner, target) = (&fixture.owner, &target);
            async move { owner.request("GET", target, &[(name, value.as_str())], "").await }
        };
        let range = ask("range", "bytes=100000-100009".to_owned()).await;
        assert_eq!(
            (range.status, range.body.as_slice()),
            (206, &original[100_000..100_010])
        );
        assert_eq!(range.header("etag"), tag);
        assert_eq!(ask("if-none-match", tag).await.status, 304);
        assert_eq!(fixture.calls(), calls);
    }
    let tags: Vec<String> = {
        let mut tags = Vec::new();
        for number in 1..=3 {
            let page = fixture.owner.get(&format!("{pages}/{number}")).await;
            tags.push(page.header("etag").to_owned());
        }
        tags
    };
    assert!(tags[0] != tags[1] && tags[1] != tags[2]);
}

#[tokio::test]
async fn concurrent_requests_for_a_page_share_one_call() {
    let fixture = Fixture::new().await;
    let pages = fixture
        .pages_of(&comic(&picture(1, 1), &picture(2, 2), &picture(3, 3)))
        .await;
    fixture.owner.get(&pages).await;
    let before = fixture.calls();
    let target = format!("{pages}/3");
    let replies = futures_util::future::join_all((0..8).map(|_| fixture.owner.get(&target))).await;
    assert!(replies.iter().all(|reply| reply.body == picture(3, 3)));
    // A request that comes after the first call has ended finds the page in the cache.
    assert_eq!(fixture.calls() - before, 1);
}

#[tokio::test]
async fn page_is_rendered_in_smaller_sizes() {
    let fixture = Fixture::new().await;
    let pages = fixture
        .pages_of(&comic(&picture(1, 1), &picture(2, 2), b"broken"))
        .await;
    for number in [1, 2] {
        let small = fixture.owner.get(&format!("{pages}/{number}?size=small")).await;
        assert_eq!((small.status, small.body.as_slice()), (200, DRAWN), "{number}");
        assert_eq!(small.header("content-type"), "image/jpeg");
    }
    // The renderer cannot decode it, but the page is what it is.
    let small = fixture.refused(&format!("{pages}/3?size=small")).await;
    assert_eq!(small, (422, json!("thumbnail_unavailable")));
    assert_eq!(
        fixture.owner.get(&format!("{pages}/3?size=original")).await.body,
        b"broken"
    );
    assert_eq!(
        fixture.owner.get(&format!("{pages}/1?size=huge")).await.status,
        400
    );
}

#[tokio::test]
async fn page_that_does_not_exist_is_not_found() {
    let fixture = Fixture::new().await;
    let pages = fixture
        .pages_of(&comic(&picture(1, 1), &picture(2, 2), b"x"))
        .await;
    for target in ["/0", "/4", "/x", "/-1", "/99999999999", "/1?part=2"] {
        let (status, _) = fixture.refused(&format!("{pages}{target}")).await;
        assert_eq!(status, 404, "{target}");
    }
    assert_eq!(fixture.owner.get(&format!("{pages}/1?part=1")).await.status, 200);
    assert_eq!(fixture.owner.get(&format!("{pages}?part=x")).await.status, 400);
    for target in ["pages", "pages/1"] {
        let unknown = format!("/api/v1/items/{UNKNOWN}/{target}");
        assert_eq!(fixture.owner.get(&unknown).await.status, 404);
    }
    std::fs::remove_file(fixture.server.directory.path().join("comics/Saga 003.cbz")).unwrap();
    for target in ["", "/1"] {
        let gone = fixture.refused(&format!("{pages}{target}")).await;
        assert_eq!(gone, (404, json!("file_missing")));
    }
}

#[covers("code pages_unavailable")]
#[tokio::test]
async fn page_that_lies_about_its_size_costs_that_page_only() {
    let fixture = Fixture::new().await;
    let good = picture(1, 1);
    let bomb = vec![0; 30 << 20];
    let lying = Packed {
        stated_size: Some(1000),
        ..Packed::deflated("2.png", &bomb)
    };
    let archive = zip(&[Packed::stored("1.png", &good), lying]);
    let pages = fixture.pages_of(&archive).await;
    assert_eq!(
        fixture.owner.get(&pages).await.json().as_array().unwrap().len(),
        2
    );
    let unavailable = (422, json!("pages_unavailable"));
    assert_eq!(fixture.refused(&format!("{pages}/2")).await, unavailable);
    assert!(fixture.owner.get(&format!("{pages}/1")).await.body == good);
    // An archive that was damaged after the scan.
    fixture.put("Saga 003.cbz", b"PK\x03\x04 and nothing else");
    assert_eq!(fixture.refused(&pages).await, unavailable);
    assert_eq!(fixture.refused(&format!("{pages}/1")).await, unavailable);
}

#[tokio::test]
async fn changed_file_has_other_pages_at_once() {
    let fixture = Fixture::new().await;
    let pages = fixture
        .pages_of(&comic(&picture(1, 1), &picture(2, 2), b"x"))
        .await;
    let before = fixture.owner.get(&format!("{pages}/2")).await;
    fixture.put(
        "Saga 003.cbz",
        &zip(&[Packed::deflated("1.png", b"a"), Packed::deflated("2.png", b"new")]),
    );
    let after = fixture.owner.get(&format!("{pages}/2")).await;
    assert_eq!(after.body, b"new");
    assert_ne!(before.header("etag"), after.header("etag"));
    assert_eq!(
        fixture.owner.get(&pages).await.json().as_array().unwrap().len(),
        2
    );
}

#[tokio::test]
async fn item_of_a_plugin_without_pages_has_none() {
    let server = TestServer::start_with(with_comics()).await;
    let owner = server.as_owner().await;
    let file = server.directory.path().join("comics/a.shared");
    std::fs::write(file, "good").unwrap();
    let fixture = Fixture { server, owner };
    let [id] = fixture.scan().await.try_into().unwrap();
    let pages = format!("/api/v1/items/{id}/pages");
    assert_eq!(fixture.owner.get(&pages).await.json(), json!([]));
    assert_eq!(fixture.owner.get(&format!("{pages}/1")).await.status, 404);
}

#[tokio::test]
async fn pages_need_a_plugin_and_the_access_to_the_file() {
    let fixture = ItemFixture::new().await;
    let pages = format!("/api/v1/items/{}/pages", fixture.comics[0]);
    let stranger = stranger(&fixture).await;
    for target in [pages.clone(), format!("{pages}/1")] {
        // Indexed by no plugin that is known here.
        let unavailable = fixture.get(&target).await;
        let code = &unavailable.json()["code"];
        assert_eq!((unavailable.status, code), (422, &json!("pages_unavailable")));
        assert_eq!(stranger.get(&target).await.status, 404);
    }
}
