//! The API about itself: its OpenAPI document, and a page to try it out, all assets served from here.

use std::sync::LazyLock;

use salvo::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue};
use salvo::http::{ResBody, StatusCode};
use salvo::oapi::swagger_ui;
use salvo::{Request, Response, handler};

use super::openapi;
use super::problem::Problem;

/// The page is the one place with scripts; all of them are ours, none inline.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
     img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc API</title>
<link rel="stylesheet" href="/api/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/api/docs/swagger-ui-bundle.js"></script>
<script src="/api/docs/start.js"></script>
</body>
</html>
"#;

const START: &str = "SwaggerUIBundle({ url: '/api/docs-json', dom_id: '#reference', deepLinking: true });\n";

/// The files beside the page. The reference is Swagger UI, which is part of the program.
const ASSETS: [&str; 2] = ["swagger-ui.css", "swagger-ui-bundle.js"];

/// Made once: it depends on nothing but the program.
static DOCUMENT: LazyLock<String> = LazyLock::new(openapi::document_text);

/// The description of the API.
#[handler]
pub async fn show_document(res: &mut Response) {
    send(res, "application/json; charset=utf-8", DOCUMENT.as_bytes());
}

/// The interactive reference.
#[handler]
pub async fn show_page(res: &mut Response) {
    res.headers_mut()
        .insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
    send(res, "text/html; charset=utf-8", PAGE.as_bytes());
}

/// A file of the reference.
#[handler]
pub async fn show_asset(req: &Request, res: &mut Response) {
    let name = req.params().get("file").map(String::as_str).unwrap_or_default();
    if name == "start.js" {
        return send(res, "text/javascript; charset=utf-8", START.as_bytes());
    }
    let config = swagger_ui::Config::new(["/api/docs-json"]);
    let file = ASSETS
        .contains(&name)
        .then(|| swagger_ui::serve(name, "", "", "", &config));
    match file {
        Some(Ok(Some(file))) => send(res, &file.content_type, &file.bytes),
        _ => Problem::of_status(StatusCode::NOT_FOUND).render(res),
    }
}

fn send(res: &mut Response, content_type: &str, body: &[u8]) {
    if let Ok(value) = HeaderValue::try_from(content_type) {
        res.headers_mut().insert(CONTENT_TYPE, value);
    }
    res.headers_mut()
        .insert(salvo::http::header::CONTENT_LENGTH, HeaderValue::from(body.len()));
    res.replace_body(ResBody::Once(body.to_vec().into()));
}
