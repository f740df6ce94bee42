//! The server about itself.

use std::collections::BTreeMap;

use salvo::oapi::ToSchema;
use serde::Serialize;

use crate::service::server::{InstanceInfo, Versions};

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

/// Versions of the parts. The web apps are part of the server and have its version.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Versions"))]
pub struct VersionsView {
    /// The runtime that the server is built with.
    nodejs: &'static str,
    /// The crypto library.
    openssl: &'static str,
    database: String,
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
            database: versions.database,
            svc_media_server: build.version,
            svc_media_server_web_app: build.version,
            svc_music_web_app: build.version,
            svc_photos_web_app: build.version,
            svc_cinema_web_app: build.version,
            build_tag: build.build_tag,
            runtime: build.runtime,
            crypto: build.crypto,
            wasmtime: build.wasmtime,
            plugins: versions.plugins.into_iter().collect(),
        }
    }
}
