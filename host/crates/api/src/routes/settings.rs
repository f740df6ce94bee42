//! Settings, the web origins that may call, and the audit log.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;
use serde_json::Value;

use crate::api_error::ApiError;
use crate::extract::{AnyPathId, Authenticated, Body, Caller, Input, State};
use crate::pagination;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Created, Json, Page};
use crate::routes::users::present;
use crate::views::settings::{AuditEntryView, OriginView, SettingsView, UpdatedSettingsView};
use svc_domain::audit::AuditEvent;
use svc_domain::id::CorsOriginId;
use svc_domain::list::{Order, Pagination};
use svc_identity::app::App;
use svc_identity::audit::AuditFilter;
use svc_identity::error::ServiceError;
use svc_identity::settings::SettingsPatch;

/// A change of settings.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateSettingsInput {
    /// The app that it is for: `admin`, `music`, `photos` or `cinema`; `null` for all. Must be said.
    #[serde(default, deserialize_with = "present")]
    #[salvo(schema(value_type = Option<String>, required = true))]
    app: Option<Option<String>>,
    /// Keys with their new values; `null` resets a setting to its default.
    #[salvo(schema(value_type = BTreeMap<String, Value>))]
    settings: serde_json::Map<String, Value>,
}

impl Input for UpdateSettingsInput {}

/// An origin to be allowed.
#[derive(Debug, Deserialize, ToSchema)]
pub struct AddCorsOriginInput {
    /// Such as `https://app.example`: scheme, host, port where it is another than the usual.
    origin: String,
}

impl Input for AddCorsOriginInput {}

/// Which lines of the audit log.
#[derive(Debug)]
pub struct AuditQuery {
    filter: AuditFilter,
    page: Pagination,
    order: Order,
}

impl FromQuery for AuditQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let events: Vec<_> = AuditEvent::ALL
            .iter()
            .map(|event| (event.as_str(), *event))
            .collect();
        Self {
            filter: AuditFilter {
                event: params.choice("event", "Of this event alone.", &events),
                user: params.parsed("userId", "By or about this account alone.", "the id of a user"),
            },
            page: pagination::page(params),
            order: pagination::sort(params, "at", Order::Descending),
        }
    }
}

fn app_named(name: &str) -> Result<App, ApiError> {
    let known = App::from_name(name);
    Ok(known.ok_or_else(|| ServiceError::invalid("app", "must be admin, music, photos or cinema"))?)
}

/// The settings that an app is shown
///
/// Those of the account, and those of the server, which only `ServerSettings.Update` changes.
#[endpoint(responses((status_code = 400, description = "There is no such app")))]
pub async fn get_settings(
    state: State,
    caller: Caller,
    app: AnyPathId<String>,
) -> Result<Json<SettingsView>, ApiError> {
    let app = app_named(&app.0.unwrap_or_default())?;
    let settings = state.settings.of_app(app, caller.user.id).await?;
    Ok(Json(SettingsView::new(app, settings)))
}

/// Changes settings, all or none
///
/// Settings of the account are the caller's own, whatever the app. Settings of the server take
/// `ServerSettings.Update`.
#[endpoint(responses(
    (status_code = 403, description = "A setting of the server requires the capability"),
    (status_code = 409, description = "An option of the server holds one of the settings at another value")
))]
pub async fn update_settings(
    state: State,
    by: Authenticated,
    body: Body<UpdateSettingsInput>,
) -> Result<Json<UpdatedSettingsView>, ApiError> {
    let UpdateSettingsInput { app, settings } = body.0;
    let app = app.ok_or_else(|| ServiceError::invalid("app", "is missing; null means all apps"))?;
    let app = app.as_deref().map(app_named).transpose()?;
    let updated = state
        .settings
        .update(by.0, SettingsPatch { app, settings })
        .await?;
    Ok(Json(UpdatedSettingsView::new(app, updated)))
}

/// The web origins that administrators allowed
#[endpoint]
pub async fn list_cors_origins(state: State) -> Result<Json<Vec<OriginView>>, ApiError> {
    let origins = state.origins.list().await?;
    Ok(Json(origins.into_iter().map(OriginView::from).collect()))
}

/// Allows a web origin, from the next request on
#[endpoint]
pub async fn add_cors_origin(
    state: State,
    by: Authenticated,
    body: Body<AddCorsOriginInput>,
) -> Result<Created<OriginView>, ApiError> {
    Ok(Created(state.origins.add(by.0, &body.0.origin).await?.into()))
}

/// No longer allows a web origin; `false` if there is none such
#[endpoint]
pub async fn remove_cors_origin(
    state: State,
    by: Authenticated,
    id: AnyPathId<CorsOriginId>,
) -> Result<Json<bool>, ApiError> {
    Ok(Json(match id.0 {
        Some(id) => state.origins.remove(by.0, id).await?,
        None => false,
    }))
}

/// The audit log, newest first
#[endpoint]
pub async fn list_audit_entries(
    state: State,
    query: Query<AuditQuery>,
) -> Result<Json<Page<AuditEntryView>>, ApiError> {
    let AuditQuery { filter, page, order } = query.0;
    let listing = state.audit.list(&filter, page, order).await?;
    Ok(Json(Page::new(listing, AuditEntryView::from)))
}
