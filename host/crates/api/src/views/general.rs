//! The server about itself.

use std::collections::BTreeMap;

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::release_channel::ReleaseChannel;
use svc_identity::cloud::{Release, Subscription};
use svc_library::cloud_info::{CloudInfo, Seats};
use svc_library::server::{InstanceInfo, Versions};

/// Versions and endpoints of the API.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Home"))]
pub struct HomeView {
    /// Version labels with their base paths.
    pub versions: BTreeMap<&'static str, &'static str>,
    /// Method and path of each endpoint.
    pub endpoints: Vec<String>,
}

/// Whether the server was set up.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Health"))]
pub struct HealthView {
    /// `normal` or `not_setup`.
    state: &'static str,
}

impl HealthView {
    /// Of a server that is set up, or not.
    pub fn new(is_set_up: bool) -> Self {
        Self {
            state: if is_set_up { "normal" } else { "not_setup" },
        }
    }
}

/// Whether the server can answer questions about media.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Ready"))]
pub struct ReadyView {
    /// It can.
    pub ready: bool,
}

/// Who the server is.
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

/// The version of an app that this build does not hold.
const NO_APP: &str = "0.0.0";

/// Versions of the parts. A web app that the build does not hold is `0.0.0`.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Versions"))]
pub struct VersionsView {
    /// The runtime that the server is built with.
    nodejs: &'static str,
    /// The crypto library.
    openssl: &'static str,
    /// The database's version alone.
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

/// A channel of releases.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "ReleaseChannel"))]
pub struct ReleaseChannelView {
    name: &'static str,
    description: &'static str,
}

/// The channels of releases.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "ReleaseChannels"))]
pub struct ReleaseChannelsView {
    /// The one that the server follows.
    current: &'static str,
    available: Vec<ReleaseChannelView>,
}

impl ReleaseChannelsView {
    /// The channels, with the one that the server follows.
    pub fn new(current: ReleaseChannel) -> Self {
        let view = |channel: ReleaseChannel| ReleaseChannelView {
            name: channel.as_str(),
            description: channel.about(),
        };
        Self {
            current: current.as_str(),
            available: ReleaseChannel::ALL.map(view).into(),
        }
    }
}

/// Whether there is a newer version.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Updates"))]
#[serde(rename_all = "camelCase")]
pub struct UpdatesView {
    update_is_available: bool,
    days_behind_latest_version: u32,
    latest_version: String,
    latest_version_released_at: String,
}

impl From<Release> for UpdatesView {
    fn from(release: Release) -> Self {
        Self {
            update_is_available: CloudInfo::is_newer(&release),
            days_behind_latest_version: release.days_behind,
            latest_version: release.version,
            latest_version_released_at: release.released_at,
        }
    }
}

/// What the server is licensed for.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Subscription"))]
#[serde(rename_all = "camelCase")]
pub struct SubscriptionView {
    tier: String,
    /// Accounts that it allows; as many as one likes if `null`.
    seats: Option<u32>,
    /// `cloud`, or `local` where no cloud says anything.
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
                expires_at,
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

/// Seats that are taken.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Seats"))]
pub struct SeatsView {
    /// Enabled accounts of people.
    used: u64,
    /// How many there may be; as many as one likes if `null`.
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
