//! JSON of information about the server: API index, health, identity, versions, release channels.

use std::collections::BTreeMap;

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::route::Route;
use svc_domain::release_channel::ReleaseChannel;
use svc_domain::time::Timestamp;
use svc_identity::cloud::{Release, Subscription};
use svc_library::cloud_info::{Channel, CloudInfo, Seats};
use svc_library::server::{InstanceInfo, Versions};

/// The versions and endpoints of the API.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Home"))]
pub struct HomeView {
    /// Base path of each version, by its label.
    versions: BTreeMap<&'static str, &'static str>,
    /// Method and path of each endpoint, such as `GET /api/v1/photos`.
    endpoints: Vec<String>,
}

impl HomeView {
    /// The endpoints of these routes.
    pub fn new(routes: &[Route]) -> Self {
        let endpoint = |route: &Route| format!("{} {}", route.method, route.path);
        Self {
            versions: BTreeMap::from([("v1", "/api/v1")]),
            endpoints: routes.iter().map(endpoint).collect(),
        }
    }
}

/// The health of the server.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Health"))]
pub struct HealthView {
    /// `normal`, or `not_setup` before setup.
    state: &'static str,
}

impl HealthView {
    /// The health of a server that is or is not set up.
    pub fn new(is_set_up: bool) -> Self {
        Self {
            state: if is_set_up { "normal" } else { "not_setup" },
        }
    }
}

/// The readiness of the server for requests about media.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Ready"))]
pub struct ReadyView {
    /// Always true; a server that is not ready responds with 503.
    pub ready: bool,
}

/// The identity of the server.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Instance"))]
#[serde(rename_all = "camelCase")]
pub struct InstanceView {
    instance_id: String,
    server_name: String,
    kiosk_mode: bool,
}

impl From<InstanceInfo> for InstanceView {
    fn from(info: InstanceInfo) -> Self {
        Self {
            instance_id: info.instance_id,
            server_name: info.server_name,
            kiosk_mode: info.kiosk_mode,
        }
    }
}

/// The version of a web app that is not part of the build.
const NO_APP: &str = "0.0.0";

/// The versions of the server and its components. A web app that is not part of the build has the version `0.0.0`.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Versions"))]
pub struct VersionsView {
    /// The async runtime; the same as `runtime`.
    nodejs: &'static str,
    /// The cryptographic library; the same as `crypto`.
    openssl: &'static str,
    /// Version of the database engine.
    database: String,
    /// `SQLite` or `PostgreSQL`.
    #[serde(rename = "databaseEngine")]
    database_engine: &'static str,
    svc_media_server: &'static str,
    svc_media_server_web_app: &'static str,
    svc_music_web_app: &'static str,
    svc_photos_web_app: &'static str,
    svc_cinema_web_app: &'static str,
    build_tag: String,
    runtime: &'static str,
    crypto: &'static str,
    wasmtime: &'static str,
    plugins: BTreeMap<String, String>,
}

impl From<Versions> for VersionsView {
    fn from(versions: Versions) -> Self {
        let build = versions.build;
        Self {
            nodejs: build.runtime,
            openssl: build.crypto,
            database: versions.database.version,
            database_engine: versions.database.engine,
            svc_media_server: build.version,
            svc_media_server_web_app: NO_APP,
            svc_music_web_app: NO_APP,
            svc_photos_web_app: NO_APP,
            svc_cinema_web_app: NO_APP,
            build_tag: build.build_tag,
            runtime: build.runtime,
            crypto: build.crypto,
            wasmtime: build.wasmtime,
            plugins: versions.plugins.into_iter().collect(),
        }
    }
}

/// A release channel.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "ReleaseChannel"))]
pub struct ReleaseChannelView {
    name: String,
    description: String,
}

/// The release channels.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "ReleaseChannels"))]
pub struct ReleaseChannelsView {
    /// Name of the channel that the server uses.
    current: &'static str,
    available: Vec<ReleaseChannelView>,
}

impl ReleaseChannelsView {
    /// All channels, and the one that the server uses.
    pub fn new(current: ReleaseChannel, channels: Vec<Channel>) -> Self {
        let view = |Channel { name, description }| ReleaseChannelView { name, description };
        Self {
            current: current.as_str(),
            available: channels.into_iter().map(view).collect(),
        }
    }
}

/// The latest version of the server.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Updates"))]
#[serde(rename_all = "camelCase")]
pub struct UpdatesView {
    update_is_available: bool,
    days_behind_latest_version: u32,
    latest_version: String,
    latest_version_released_at: String,
}

impl UpdatesView {
    /// The newest release, compared with this server.
    pub fn new(cloud: &CloudInfo, release: Release) -> Self {
        Self {
            update_is_available: CloudInfo::is_newer(&release),
            days_behind_latest_version: cloud.days_behind(&release),
            latest_version: release.version,
            latest_version_released_at: release.released_at.to_iso(),
        }
    }
}

/// The subscription of the server.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Subscription"))]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionView {
    tier: String,
    /// Maximum number of accounts; `null` for no limit.
    seats: Option<u32>,
    /// `cloud`, or `local` without a subscription from the cloud.
    source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

impl From<Option<Subscription>> for SubscriptionView {
    fn from(subscription: Option<Subscription>) -> Self {
        match subscription {
            Some(Subscription {
                tier,
                seats,
                expires_at,
            }) => Self {
                tier,
                seats,
                source: "cloud",
                expires_at: expires_at.map(Timestamp::to_iso),
            },
            None => Self {
                tier: "self_hosted".to_owned(),
                seats: None,
                source: "local",
                expires_at: None,
            },
        }
    }
}

/// The used seats.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Seats"))]
pub struct SeatsView {
    /// Number of enabled accounts, without the guest account.
    used: u64,
    /// Maximum number; `null` for no limit.
    total: Option<u32>,
}

impl From<Seats> for SeatsView {
    fn from(seats: Seats) -> Self {
        Self {
            used: seats.used,
            total: seats.total,
        }
    }
}
