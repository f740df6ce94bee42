//! Settings, allowed web origins and the audit log.

use std::collections::BTreeMap;

use salvo::oapi::ToSchema;
use serde::Serialize;
use serde_json::Value;

use svc_domain::audit::AuditEntry;
use svc_domain::id::{AuditId, CorsOriginId, UserId};
use svc_domain::origin::CorsOrigin;
use svc_domain::time::Timestamp;
use svc_identity::app::App;

/// The settings of an app.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Settings"))]
pub struct SettingsView {
    app: &'static str,
    #[salvo(schema(value_type = BTreeMap<String, Value>))]
    settings: BTreeMap<&'static str, Value>,
}

impl SettingsView {
    /// The settings of an app, by key.
    pub fn new(app: App, settings: BTreeMap<&'static str, Value>) -> Self {
        Self {
            app: app.as_str(),
            settings,
        }
    }
}

/// The updated settings.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "UpdatedSettings"))]
pub struct UpdatedSettingsView {
    app: Option<&'static str>,
    #[salvo(schema(value_type = BTreeMap<String, Value>))]
    updated: BTreeMap<String, Value>,
}

impl UpdatedSettingsView {
    /// The updated settings with their stored values, by key.
    pub fn new(app: Option<App>, updated: BTreeMap<String, Value>) -> Self {
        Self {
            app: app.map(App::as_str),
            updated,
        }
    }
}

/// An allowed web origin.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "CorsOrigin"))]
#[serde(rename_all = "camelCase")]
pub struct OriginView {
    #[salvo(schema(value_type = String))]
    id: CorsOriginId,
    origin: String,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
}

impl From<CorsOrigin> for OriginView {
    fn from(origin: CorsOrigin) -> Self {
        Self {
            id: origin.id,
            origin: origin.origin,
            created_at: origin.created_at,
        }
    }
}

/// An entry of the audit log. Usernames are those at the time of the event.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "AuditEntry"))]
#[serde(rename_all = "camelCase")]
pub struct AuditEntryView {
    #[salvo(schema(value_type = String))]
    audit_id: AuditId,
    /// Time of the event; of the first one, if several were combined.
    #[salvo(schema(value_type = String))]
    at: Timestamp,
    /// Number of combined events: equal events within a minute are one entry.
    count: i64,
    /// Time of the last of the combined events.
    #[salvo(schema(value_type = String))]
    last_at: Timestamp,
    event: &'static str,
    /// The account that caused the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    user_id: Option<UserId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    username: Option<String>,
    /// The account that the event is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    target_user_id: Option<UserId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_username: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ip: Option<String>,
    details: BTreeMap<String, String>,
}

impl From<AuditEntry> for AuditEntryView {
    fn from(entry: AuditEntry) -> Self {
        let (actor, target) = (entry.actor, entry.target);
        Self {
            audit_id: entry.id,
            at: entry.at,
            count: entry.times,
            last_at: entry.last_at,
            event: entry.event.as_str(),
            user_id: actor.as_ref().and_then(|account| account.id),
            username: actor.and_then(|account| account.name),
            target_user_id: target.as_ref().and_then(|account| account.id),
            target_username: target.and_then(|account| account.name),
            ip: entry.address,
            details: entry.details,
        }
    }
}
