//! What handlers work with: one bundle of services, made by `app.rs`.

use crate::service::authentication::Authentication;
use crate::service::browse::Browse;
use crate::service::indexing::Indexing;
use crate::service::login::Logins;
use crate::service::media::Media;
use crate::service::music::Music;
use crate::service::photos::Photos;
use crate::service::plugins::PluginList;
use crate::service::server::Server;
use crate::service::setup::Setup;

use super::client::Network;
use super::middleware::cors::AllowedOrigins;

/// The services, shared by all requests.
#[derive(Debug)]
pub struct AppState {
    /// Makes callers known.
    pub authentication: Authentication,
    /// Signs people in.
    pub logins: Logins,
    /// The first run.
    pub setup: Setup,
    /// The server about itself.
    pub server: Server,
    /// Runs of the indexer.
    pub indexing: Indexing,
    /// Browsing the directories of media.
    pub browse: Browse,
    /// Browsing music.
    pub music: Music,
    /// Browsing photos.
    pub photos: Photos,
    /// The bytes of items.
    pub media: Media,
    /// The plugins.
    pub plugins: PluginList,
    /// Web origins that may call, beside the server's own.
    pub allowed_origins: AllowedOrigins,
    /// Proxies before the server, and its public address.
    pub network: Network,
}
