//! `GET /items/{itemId}/artwork`.

use serde_json::json;
use svc_covers::covers;

use super::ItemFixture;
use crate::UNKNOWN;
use crate::photos::thumbnail::DRAWN;
use crate::support::{TestServer, TestServerOptions};
use svc_plugin_host::{BuiltIn, Component};
use svc_test_support::guests;

#[covers("GET /api/v1/items/{itemId}/artwork")]
#[tokio::test]
async fn artwork_is_the_picture_in_a_file() {
    let fixture = ItemFixture::new().await;
    let artwork = format!("/api/v1/items/{}/artwork", fixture.comics[0]);
    for query in ["", "?size=original"] {
        let reply = fixture.get(&format!("{artwork}{query}")).await;
        assert_eq!(
            (reply.status, reply.body.as_slice()),
            (200, &b"2345"[..]),
            "{query}"
        );
        assert_eq!(reply.header("content-type"), "image/png");
    }
    assert_eq!(fixture.get(&format!("{artwork}?size=huge")).await.status, 400);
    // No plugin renders thumbnails here.
    let small = fixture.get(&format!("{artwork}?size=small")).await;
    assert_eq!(
        (small.status, &small.json()["code"]),
        (422, &json!("thumbnail_unavailable"))
    );
    let none = fixture
        .get(&format!("/api/v1/items/{}/artwork", fixture.book))
        .await;
    assert_eq!(
        (none.status, &none.json()["code"]),
        (404, &json!("artwork_missing"))
    );
    let unknown = fixture.get(&format!("/api/v1/items/{UNKNOWN}/artwork")).await;
    assert_eq!((unknown.status, unknown.json().get("code")), (404, None));
}

/// A second of silence with an empty tag: MPEG 1, layer III, 128 kbit/s, 44.1 kHz.
fn silence() -> Vec<u8> {
    let frame = [&[0xff_u8, 0xfb, 0x90, 0x00][..], &[0; 413]].concat();
    [b"ID3\x04\0\0\0\0\0\0".to_vec(), frame.repeat(39)].concat()
}

#[tokio::test]
async fn artwork_is_the_cover_beside_the_files_as_long_as_it_is_there() {
    let path = guests::repository().join("target/plugins/audiobooks.wasm");
    let audiobooks = std::fs::read(&path)
        .unwrap_or_else(|error| panic!("{}: {error}; run `cargo xtask plugins`", path.display()));
    let plugin = |name, bytes: Vec<u8>| BuiltIn {
        name,
        component: Component::Plain(bytes.leak()),
    };
    let server = TestServer::start_with(TestServerOptions {
        plugins: vec![
            plugin("audiobooks", audiobooks),
            plugin("drawer", guests::renderer("thumbnailer", "drawer")),
        ],
        roots: vec!["audiobooks"],
        ..TestServerOptions::default()
    })
    .await;
    let owner = server.as_owner().await;
    let book = server.directory.path().join("audiobooks/Author/Book");
    std::fs::create_dir_all(book.join("CD 1")).unwrap();
    for part in ["01.mp3", "02.mp3"] {
        std::fs::write(book.join("CD 1").join(part), silence()).unwrap();
    }
    let scan = async || {
        let body = json!({"type": "quick", "mediaKinds": ["audiobooks"]});
        assert_eq!(owner.post("/api/v1/index/run", &body).await.status, 201);
        server.state.indexing.wait_until_idle().await;
        let list = owner.get("/api/v1/items?kind=audiobooks").await.json();
        assert_eq!(list[0].as_array().unwrap().len(), 1, "{list}");
        list[0][0].clone()
    };
    let item = scan().await;
    assert_eq!(item.get("artwork"), None, "{item}");
    let artwork = format!("/api/v1/items/{}/artwork", item["itemId"].as_str().unwrap());

    let mut tags = Vec::new();
    for cover in [
        &b"\xff\xd8\xff\xe0 the first"[..],
        b"\xff\xd8\xff\xe0 the second one",
    ] {
        std::fs::write(book.join("cover.jpg"), cover).unwrap();
        assert_eq!(scan().await["artwork"], json!(artwork));
        let whole = owner.get(&artwork).await;
        assert_eq!((whole.status, whole.body.as_slice()), (200, cover));
        assert_eq!(whole.header("content-type"), "image/jpeg");
        let small = owner.get(&format!("{artwork}?size=small")).await;
        assert_eq!((small.status, small.body.as_slice()), (200, DRAWN));
        tags.push([whole.header("etag").to_owned(), small.header("etag").to_owned()]);
    }
    assert_ne!(tags[0][0], tags[1][0]);
    assert_ne!(tags[0][1], tags[1][1]);

    std::fs::remove_file(book.join("cover.jpg")).unwrap();
    assert_eq!(scan().await.get("artwork"), None);
    let none = owner.get(&artwork).await;
    assert_eq!(
        (none.status, &none.json()["code"]),
        (404, &json!("artwork_missing"))
    );
}
