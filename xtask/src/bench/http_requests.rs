//! Requests as the bytes that a load generator sends.

use crate::server_client::Credentials;

/// The bytes of a GET request.
pub(crate) fn get(path: &str, token: Option<&str>) -> String {
    let authorization = token.map_or(String::new(), |token| {
        format!("authorization: Bearer {token}\r\n")
    });
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{authorization}\r\n")
}

/// The bytes of a sign-in request.
pub(crate) fn login(credentials: &Credentials) -> String {
    let body = serde_json::json!({"username": credentials.username, "password": credentials.password});
    let body = body.to_string();
    format!(
        "POST /api/v1/auth/login HTTP/1.1\r\nhost: localhost\r\nsvc-app: admin\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    )
}
