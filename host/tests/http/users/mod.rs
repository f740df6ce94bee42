//! `/users`.

mod active;
mod cloud_link;
mod cloud_user;
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
use crate::support::{Client, Reply};

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

pub(crate) fn names(list: &Value) -> Vec<String> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|user| user["username"].as_str().unwrap().to_owned())
        .collect()
}
