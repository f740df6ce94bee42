//! `/users`.

mod active;
mod create;
mod current;
mod list;
mod password;
mod personal_access_tokens;
mod public;
mod sessions;
mod update;

use serde_json::{Value, json};

use crate::support::accounts::PASSWORD;
use crate::support::{Client, Reply, TestServer};

pub(crate) const USERS: &str = "/api/v1/users";

pub(crate) async fn create(token: &Client, body: &Value) -> Reply {
    token.post(USERS, body).await
}

pub(crate) async fn update(token: &Client, id: impl std::fmt::Display, body: &Value) -> Reply {
    token.patch(&format!("{USERS}/{id}"), body).await
}

pub(crate) fn new(name: &str) -> Value {
    json!({"username": name, "password": PASSWORD})
}

pub(crate) async fn sign_in(server: &TestServer, name: &str, password: &str) -> Reply {
    let headers = [("svc-app", "music"), ("content-type", "application/json")];
    let body = json!({"username": name, "password": password}).to_string();
    server.send("POST", "/api/v1/auth/login", &headers, &body).await
}

pub(crate) fn signed_in(login: &Reply) -> Client {
    assert_eq!(login.status, 201, "{:?}", String::from_utf8_lossy(&login.body));
    login.client()
}

pub(crate) fn names(list: &Value) -> Vec<String> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|user| user["username"].as_str().unwrap().to_owned())
        .collect()
}
