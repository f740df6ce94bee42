//! The API reference page.

use svc_covers::covers;

use crate::support::TestServer;

#[covers("GET /api/docs", "GET /api/docs/{file}", "R65")]
#[tokio::test]
async fn reference_page_loads_no_external_resources() {
    let server = TestServer::start().await;
    let page = server.get("/api/docs").await;
    let text = String::from_utf8(page.body.clone()).unwrap();
    assert_eq!(
        (page.status, page.header("content-type")),
        (200, "text/html; charset=utf-8")
    );
    assert!(!text.contains("//") && !text.contains("<script>"), "{text}");
    for link in text.split('"').filter(|part| part.starts_with("/api/docs/")) {
        let asset = server.get(link).await;
        assert_eq!(asset.status, 200, "{link}");
        assert!(!asset.body.is_empty());
    }
    for name in [
        "index.html",
        "nothing.js",
        "..%2fCargo.toml",
        "oauth2-redirect.html",
    ] {
        assert_eq!(
            server.get(&format!("/api/docs/{name}")).await.status,
            404,
            "{name}"
        );
    }
}
