//! The OpenAPI document, and the interactive API reference (Swagger UI) with its assets.

use bytes::Bytes;
use salvo::http::header::{CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue};
use salvo::http::{ResBody, StatusCode};
use salvo::{Depot, Request, Response, handler};

use crate::api_error::ApiError;
use crate::extract::State;
use crate::openapi;
use crate::response::set_header;
use svc_http_io::send_buffer::Shared;

/// Content security policy of the reference page: scripts of the server's own, none inline.
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

/// Sends the OpenAPI document.
#[handler]
pub async fn get_document(depot: &mut Depot, res: &mut Response) {
    let state = match State::of(depot) {
        Ok(state) => state,
        Err(error) => return error.render(res),
    };
    let reference = &state.api_reference;
    let document = reference.document(|| openapi::document_text(&state.routes));
    send(res, "application/json; charset=utf-8", document);
}

/// Sends the page of the interactive reference.
#[handler]
pub async fn get_page(res: &mut Response) {
    res.headers_mut()
        .insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
    send(
        res,
        "text/html; charset=utf-8",
        Bytes::from_static(PAGE.as_bytes()),
    );
}

/// Sends a file of the interactive reference.
#[handler]
pub async fn get_asset(req: &Request, depot: &mut Depot, res: &mut Response) {
    let state = match State::of(depot) {
        Ok(state) => state,
        Err(error) => return error.render(res),
    };
    let name = req.params().get("file").map(String::as_str).unwrap_or_default();
    if name == "start.js" {
        return send(
            res,
            "text/javascript; charset=utf-8",
            Bytes::from_static(START.as_bytes()),
        );
    }
    let mut files = state.api_reference.files().iter();
    match files.find(|(file, ..)| *file == name) {
        Some((_, content_type, bytes)) => send(res, content_type, bytes.clone()),
        None => ApiError::of_status(StatusCode::NOT_FOUND).render(res),
    }
}

fn send(res: &mut Response, content_type: &str, body: Bytes) {
    let headers = res.headers_mut();
    set_header(headers, CONTENT_TYPE, content_type.to_owned());
    headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    res.extensions.insert(Shared);
    res.replace_body(ResBody::Once(body));
}
