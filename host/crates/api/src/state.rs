//! What handlers work with. The composition root builds it.

use std::sync::Arc;

use svc_domain::erased::Erased;
use svc_events::EventStreams;
use svc_events::Events;
use svc_http_io::proxy::ProxyConfig;
use svc_identity::accounts::Accounts;
use svc_identity::audit::Audit;
use svc_identity::authentication::Authentication;
use svc_identity::cloud_links::CloudLinks;
use svc_identity::device_sign_in::DeviceSignIns;
use svc_identity::invitations::Invitations;
use svc_identity::invitations::claims::Claims;
use svc_identity::keys::KeyRing;
use svc_identity::login::Logins;
use svc_identity::oidc::Oidc;
use svc_identity::origins::Origins;
use svc_identity::roles::Roles;
use svc_identity::sessions::Sessions;
use svc_identity::settings::Settings;
use svc_identity::setup::Setup;
use svc_identity::tokens::PersonalAccessTokens;
use svc_indexer::indexing::Indexing;
use svc_indexer::scan_scheduler::ScanScheduler;
use svc_library::browse::Browse;
use svc_library::changes::ChangeList;
use svc_library::cloud_info::CloudInfo;
use svc_library::dev::Dev;
use svc_library::history::History;
use svc_library::indexed_files::IndexedFiles;
use svc_library::item_kinds::ItemKinds;
use svc_library::item_pages::ItemPages;
use svc_library::jobs::Jobs;
use svc_library::libraries::Libraries;
use svc_library::links::Links;
use svc_library::media::Media;
use svc_library::media_version::MediaStates;
use svc_library::movies::Movies;
use svc_library::music::Music;
use svc_library::open_streams::OpenStreams;
use svc_library::photo_albums::PhotoAlbums;
use svc_library::photos::Photos;
use svc_library::playback_queues::PlaybackQueues;
use svc_library::plugins::PluginAdmin;
use svc_library::ratings::Ratings;
use svc_library::reset::Reset;
use svc_library::search::Search;
use svc_library::server::Server;
use svc_library::thumbnails::Thumbnails;
use svc_library::tv::Tv;
use svc_library::video::Video;
use svc_library::waveforms::Waveforms;

use crate::api_reference::ApiReference;
use crate::response_cache::ResponseCache;
use crate::route::Route;

/// The state of a server, as its requests share it.
pub type SharedState = Arc<Erased<AppState>>;

/// What requests share: the use cases behind the routes, the cache of their responses, and the network around the
/// server.
#[derive(Debug, Clone)]
pub struct AppState {
    /// Trusted proxies and the public address.
    pub proxy_config: ProxyConfig,
    /// The routes that `GET /api` and the API description list.
    pub routes: Vec<Route>,
    /// The API description and its page.
    pub api_reference: Arc<ApiReference>,
    /// Cached responses.
    pub response_cache: Arc<ResponseCache>,
    /// Identifies the account that a credential belongs to.
    pub authentication: Authentication,
    /// Sign-in with a password, as the guest, or with a cloud account.
    pub logins: Logins,
    /// Sign-in with a provider of OpenID Connect.
    pub oidc: Oidc,
    /// Sessions: refresh, list, revocation.
    pub sessions: Sessions,
    /// Sign-in of devices without a browser.
    pub device_sign_ins: DeviceSignIns,
    /// Links to cloud accounts.
    pub cloud_links: CloudLinks,
    /// The first setup, which creates the owner.
    pub setup: Setup,
    /// Accounts.
    pub accounts: Accounts,
    /// Personal access tokens.
    pub tokens: PersonalAccessTokens,
    /// Roles and their assignments.
    pub roles: Roles,
    /// Invitations, for those who invite.
    pub invitations: Invitations,
    /// Invitations, for those who use them.
    pub claims: Claims,
    /// Libraries and their grants.
    pub libraries: Libraries,
    /// Settings.
    pub settings: Settings,
    /// Web origins that may call the API (CORS).
    pub origins: Origins,
    /// The audit log.
    pub audit: Audit,
    /// Deindex and factory reset.
    pub reset: Reset,
    /// The newest release and the subscription, from the cloud.
    pub cloud_info: CloudInfo,
    /// Operations for automated tests of clients; `None` outside of development mode.
    pub dev: Option<Dev>,
    /// The keys of this installation.
    pub keys: KeyRing,
    /// Information about the server.
    pub server: Server,
    /// Runs of the indexer.
    pub indexing: Indexing,
    /// Publishes events.
    pub events: Events,
    /// Opens event streams for clients.
    pub streams: EventStreams,
    /// Starts runs by schedule, watching and first setup.
    pub scan_scheduler: ScanScheduler,
    /// The change feed of the library.
    pub changes: ChangeList,
    /// Explains why a file is or is not indexed.
    pub indexed_files: IndexedFiles,
    /// Lists media directories as they are on disk.
    pub browse: Browse,
    /// Search over all items.
    pub search: Search,
    /// Lists of tracks, releases, artists and genres.
    pub music: Music,
    /// Lists of photos, and corrections of their metadata.
    pub photos: Photos,
    /// Open media streams, limited per user.
    pub open_streams: OpenStreams,
    /// Signed links to items.
    pub links: Links,
    /// Playback history and progress.
    pub history: History,
    /// Playback queues.
    pub playback_queues: PlaybackQueues,
    /// Ratings and favorites.
    pub ratings: Ratings,
    /// Lists of movies.
    pub movies: Movies,
    /// Lists of TV shows, seasons and episodes.
    pub tv: Tv,
    /// The files of movies and episodes, and their sidecars.
    pub video: Video,
    /// Kinds that plugins define, and their items.
    pub item_kinds: ItemKinds,
    /// Pages of items.
    pub item_pages: ItemPages,
    /// Photo albums.
    pub photo_albums: PhotoAlbums,
    /// Background jobs.
    pub jobs: Jobs,
    /// The files of tracks and photos, and embedded artwork.
    pub media: Media,
    /// Pictures in smaller sizes.
    pub thumbnails: Thumbnails,
    /// Waveforms of tracks.
    pub waveforms: Waveforms,
    /// The plugins.
    pub plugins: PluginAdmin,
    /// Version counters of what responses are built from.
    pub media_version: MediaStates,
}
