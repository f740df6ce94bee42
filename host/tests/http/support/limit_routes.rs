//! Routes that exceed the limits which the server's own routes keep.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use svc_api::api_error::ApiError;
use svc_api::body::{Body, Input, bounded_list};
use svc_api::response::{CreatedEmpty, Json};
use svc_api::route::{Access, Route};
use svc_http_io::limits::SETTINGS_BODY_BYTES;

/// A body whose only field takes any JSON.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Anything {
    #[salvo(schema(value_type = Object))]
    #[serde(default)]
    value: serde_json::Value,
    #[serde(default, deserialize_with = "bounded_list")]
    items: Vec<u32>,
}

impl Input for Anything {}

/// As [`Anything`], in a larger body.
#[derive(Debug, Deserialize, ToSchema)]
struct Settings {
    value: String,
}

impl Input for Settings {}

/// Accepts any JSON
#[endpoint]
async fn take(body: Body<Anything>) -> CreatedEmpty {
    drop((body.0.value, body.0.items));
    CreatedEmpty
}

/// Accepts a larger body
#[endpoint]
async fn take_settings(body: Body<Settings>) -> CreatedEmpty {
    drop(body.0.value);
    CreatedEmpty
}

/// Never answers
#[endpoint]
async fn hang() -> Json<bool> {
    std::future::pending::<()>().await;
    Json(true)
}

/// Panics
#[endpoint]
async fn fail() -> Result<Json<bool>, ApiError> {
    panic!("a secret of the server")
}

/// Routes that exceed limits which the server's own routes respect.
pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::post("/take", Access::Public, take),
        Route::patch("/settings", Access::Public, take_settings).body(SETTINGS_BODY_BYTES),
        Route::get("/hang", Access::Public, hang),
        Route::get("/fail", Access::Public, fail),
        Route::get("/mine", Access::SignedIn, hang),
    ]
}
