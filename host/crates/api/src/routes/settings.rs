//! Settings, allowed web origins, and the audit log.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;
use serde_json::Value;

use crate::api_error::ApiError;
use crate::body::{Body, Input, nullable};
use crate::extract::{AnyPathId, Authenticated, Caller, State};
use crate::list_query;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Created, Json, Page};
use crate::views::settings::{AuditEntryView, OriginView, SettingsView, UpdatedSettingsView};
use svc_domain::audit::AuditEvent;
use svc_domain::id::CorsOriginId;
use svc_domain::list::{Order, Pagination};
use svc_identity::app::App;
use svc_identity::audit::AuditFilter;
use svc_identity::error::ServiceError;
use svc_identity::settings::SettingsPatch;

/// Changes of settings.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateSettingsInput {
    /// The app that the change is for: `admin`, `music`, `photos` or `cinema`; `null` for all apps.
    #[serde(default, deserialize_with = "nullable")]
    #[salvo(schema(value_type = Option<String>, required = true))]
    app: Option<Option<String>>,
    /// New values by key; `null` resets a setting to its default.
    #[salvo(schema(value_type = BTreeMap<String, Value>))]
    settings: serde_json::Map<String, Value>,
}

impl Input for UpdateSettingsInput {}

/// The web origin to allow.
#[derive(Debug, Deserialize, ToSchema)]
pub struct AddCorsOriginInput {
    /// Scheme, host, and port unless it is the default port: `https://app.example`.
    origin: String,
}

impl Input for AddCorsOriginInput {}

/// The query of `GET /audit`.
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
                event: params.choice("event", "Only entries of this event.", &events),
                user: params.parsed(
                    "userId",
                    "Only entries by or about this account.",
                    "the id of a user",
                ),
            },
            page: list_query::page(params),
            order: list_query::sort_by(params, "at", Order::Descending),
        }
    }
}

fn app_named(name: &str) -> Result<App, ApiError> {
    let known = App::from_name(name);
    Ok(known.ok_or_else(|| ServiceError::invalid("app", "must be admin, music, photos or cinema"))?)
}

/// Get the settings of an app
///
/// Returns the settings of the caller's account and those of the server. Changing settings of the server requires the
/// capability `ServerSettings.Update`.
#[endpoint(responses((status_code = 400, description = "Unknown app")))]
pub async fn get_settings(
    state: State,
    caller: Caller,
    app: AnyPathId<String>,
) -> Result<Json<SettingsView>, ApiError> {
    let app = app_named(&app.0.unwrap_or_default())?;
    let settings = state.settings.of_app(app, caller.user.id).await?;
    Ok(Json(SettingsView::new(app, settings)))
}

/// Update settings
///
/// Updates all given settings or, on an error, none. Settings of the account are those of the caller, for any app. Settings
/// of the server require the capability `ServerSettings.Update`.
#[endpoint(responses(
    (status_code = 403, description = "A setting of the server requires the capability `ServerSettings.Update`"),
    (status_code = 409, description = "An option of the server fixes one of the settings to another value")
))]
pub async fn update_settings(
    state: State,
    by: Authenticated,
    body: Body<UpdateSettingsInput>,
) -> Result<Json<UpdatedSettingsView>, ApiError> {
    let UpdateSettingsInput { app, settings } = body.0;
    let app = app.ok_or_else(|| ServiceError::invalid("app", "is missing; null means all apps"))?;
    let app = app.as_deref().map(app_named).transpose()?;
    let patch = SettingsPatch { app, settings };
    let updated = state.settings.update(by.0, patch).await?;
    Ok(Json(UpdatedSettingsView::new(app, updated)))
}

/// List the allowed web origins
#[endpoint]
pub async fn list_cors_origins(state: State) -> Result<Json<Vec<OriginView>>, ApiError> {
    Ok(state.origins.list().await?.into())
}

/// Allow a web origin
///
/// Applies from the next request on.
#[endpoint]
pub async fn add_cors_origin(
    state: State,
    by: Authenticated,
    body: Body<AddCorsOriginInput>,
) -> Result<Created<OriginView>, ApiError> {
    Ok(Created(state.origins.add(by.0, &body.0.origin).await?.into()))
}

/// Remove an allowed web origin
///
/// Returns `false` if it does not exist.
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

/// List the entries of the audit log, newest first
#[endpoint]
pub async fn list_audit_entries(
    state: State,
    query: Query<AuditQuery>,
) -> Result<Json<Page<AuditEntryView>>, ApiError> {
    let AuditQuery { filter, page, order } = query.0;
    Ok(state.audit.list(&filter, page, order).await?.into())
}
