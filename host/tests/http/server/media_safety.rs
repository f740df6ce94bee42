//! Media files are never served as a page.

use svc_covers::covers;

use crate::support::{Reply, TestServer};
use svc_domain::extraction::{Extraction, Picture, PictureData, Span};
use svc_domain::kind::MediaKind;
use svc_domain::music::TrackFacts;
use svc_domain::path::RelativePath;
use svc_domain::scan::FileRecord;

/// Asserts that no browser renders the bytes of a file as a page.
fn assert_harmless(reply: &Reply, content_type: &str, disposition: &str) {
    let header = |name| reply.header(name);
    assert_eq!(reply.status, 200);
    assert_eq!(
        (
            header("content-type"),
            header("content-disposition"),
            header("x-content-type-options"),
            header("content-security-policy"),
        ),
        (
            content_type,
            disposition,
            "nosniff",
            "sandbox; default-src 'none'"
        )
    );
}

#[covers("T41")]
#[tokio::test]
async fn nothing_of_a_file_is_served_as_a_page() {
    const SCRIPT: &str = "<svg onload=alert(1)><script>alert(1)</script>";
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let bearer = format!("Bearer {token}");
    // The headers of a browser that opens a picture as a page.
    let asked = [
        ("authorization", bearer.as_str()),
        (
            "accept",
            "text/html,application/xhtml+xml,image/svg+xml,*/*;q=0.8",
        ),
    ];
    let folder = server.folder(MediaKind::photos()).await;
    for (name, content_type, disposition) in [
        ("a.png", "image/png", "inline"),
        ("b.svg", "application/octet-stream", "attachment"),
        ("c.html", "application/octet-stream", "attachment"),
        ("d.xml", "application/octet-stream", "attachment"),
        ("e.jpg.htm", "application/octet-stream", "attachment"),
        ("f", "application/octet-stream", "attachment"),
    ] {
        let id = server.photo(folder, name, SCRIPT.as_bytes()).await;
        let reply = server
            .send("GET", &format!("/api/v1/photos/{id}/original"), &asked, "")
            .await;
        assert_harmless(&reply, content_type, disposition);
    }
    // An embedded picture has the content type of its tag, if that is an image type.
    let music = server.folder(MediaKind::music()).await;
    for (name, mime, content_type, disposition) in [
        ("a.mp3", "image/PNG", "image/png", "inline"),
        ("b.mp3", "image/svg+xml", "application/octet-stream", "attachment"),
        ("c.mp3", "text/html", "application/octet-stream", "attachment"),
        (
            "d.mp3",
            "image/png; charset=<script>",
            "application/octet-stream",
            "attachment",
        ),
        ("e.mp3", "", "application/octet-stream", "attachment"),
    ] {
        let extraction = Extraction {
            title: Some(SCRIPT.to_owned()),
            pictures: vec![Picture {
                purpose: "front".into(),
                mime: mime.into(),
                data: PictureData::At(Span { offset: 0, length: 8 }),
            }],
            ..Extraction::default()
        };
        let place = RelativePath::root().join_text("Album");
        let facts = TrackFacts::from_extraction(&extraction, &place, name);
        let record = FileRecord::Track(Box::new(facts));
        let id = server.file(music, name, SCRIPT.as_bytes(), record).await;
        let target = format!("/api/v1/music/tracks/{id}");
        let picture = server.send("GET", &format!("{target}/artwork"), &asked, "").await;
        assert_harmless(&picture, content_type, disposition);
        let reported = server.send("GET", &target, &asked, "").await;
        assert_eq!(reported.json()["title"], SCRIPT);
        let kind = (
            reported.header("content-type"),
            reported.header("x-content-type-options"),
        );
        assert_eq!(kind, ("application/json; charset=utf-8", "nosniff"));
    }
}
