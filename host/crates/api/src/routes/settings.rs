//! Settings, the web origins that may call, and the audit log.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{Answer, Created, ListView};
use crate::extract::{AnyPathId, Body, By, Caller, Input, State};
use crate::pagination;
use crate::problem::Problem;
use crate::query::{FromQuery, Query, QueryReader};
use crate::routes::users::present;
use crate::views::settings::{AuditEntryView, OriginView, SettingsView, UpdatedSettingsView};
use svc_domain::audit::AuditEvent;
use svc_domain::id::CorsOriginId;
use svc_domain::list::{Order, Page};
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
pub struct AddOriginInput {
    /// Such as `https://app.example`: scheme, host, port where it is another than the usual.
    origin: String,
}

impl Input for AddOriginInput {}

/// Which lines of the audit log.
#[derive(Debug)]
pub struct AuditQuery {
    filter: AuditFilter,
    page: Page,
    order: Order,
}

impl FromQuery for AuditQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let events: Vec<_> = AuditEvent::ALL
            .iter()
            .map(|event| (event.as_str(), *event))
            .collect();
        Self {
            filter: AuditFilter {
                event: reader.choice("event", "Of this event alone.", &events),
                user: reader.parsed("userId", "By or about this account alone.", "the id of a user"),
            },
            page: pagination::page(reader),
            order: pagination::sort(reader, "at", Order::Descending),
        }
    }
}

fn app_named(name: &str) -> Result<App, Problem> {
    let known = App::from_name(name);
    Ok(known.ok_or_else(|| ServiceError::invalid("app", "must be admin, music, photos or cinema"))?)
}

/// The settings that an app is shown
///
/// Those of the account, and those of the server, which only `ServerSettings.Update` changes.
#[endpoint(responses((status_code = 400, description = "There is no such app")))]
pub async fn show_settings(
    state: State,
    caller: Caller,
    app: AnyPathId<String>,
) -> Result<Answer<SettingsView>, Problem> {
    let app = app_named(&app.0.unwrap_or_default())?;
    let settings = state.settings.of_app(app, caller.user.id).await?;
    Ok(Answer(SettingsView::new(app, settings)))
}

/// Changes settings, all or none
///
/// Settings of the account are the caller's own, whatever the app. Settings of the server take
/// `ServerSettings.Update`.
#[endpoint(responses(
    (status_code = 403, description = "A setting of the server takes the capability"),
    (status_code = 409, description = "An option of the server holds one of the settings at another value")
))]
pub async fn update_settings(
    state: State,
    by: By,
    body: Body<UpdateSettingsInput>,
) -> Result<Answer<UpdatedSettingsView>, Problem> {
    let UpdateSettingsInput { app, settings } = body.0;
    let app = app.ok_or_else(|| ServiceError::invalid("app", "is missing; null means all apps"))?;
    let app = app.as_deref().map(app_named).transpose()?;
    let updated = state
        .settings
        .update(by.0, SettingsPatch { app, settings })
        .await?;
    Ok(Answer(UpdatedSettingsView::new(app, updated)))
}

/// The web origins that administrators allowed
#[endpoint]
pub async fn list_origins(state: State) -> Result<Answer<Vec<OriginView>>, Problem> {
    let origins = state.origins.list().await?;
    Ok(Answer(origins.into_iter().map(OriginView::from).collect()))
}

/// Allows a web origin, from the next request on
#[endpoint]
pub async fn add_origin(
    state: State,
    by: By,
    body: Body<AddOriginInput>,
) -> Result<Created<OriginView>, Problem> {
    Ok(Created(state.origins.add(by.0, &body.0.origin).await?.into()))
}

/// No longer allows a web origin; `false` if there is none such
#[endpoint]
pub async fn remove_origin(
    state: State,
    by: By,
    id: AnyPathId<CorsOriginId>,
) -> Result<Answer<bool>, Problem> {
    Ok(Answer(match id.0 {
        Some(id) => state.origins.remove(by.0, id).await?,
        None => false,
    }))
}

/// The audit log, newest first
#[endpoint]
pub async fn list_audit(
    state: State,
    query: Query<AuditQuery>,
) -> Result<Answer<ListView<AuditEntryView>>, Problem> {
    let AuditQuery { filter, page, order } = query.0;
    let listing = state.audit.list(&filter, page, order).await?;
    Ok(Answer(ListView::new(listing, AuditEntryView::from)))
}
