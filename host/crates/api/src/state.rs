//! What handlers work with. The composition root builds it.

use std::sync::Arc;

use svc_events::EventStreams;
use svc_events::Events;
use svc_http_io::proxy::ProxyConfig;
use svc_identity::accounts::Accounts;
use svc_identity::audit::Audit;
use svc_identity::authentication::Authentication;
use svc_identity::keys::KeyRing;
use svc_identity::login::Logins;
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
use svc_library::plugins::PluginList;
use svc_library::ratings::Ratings;
use svc_library::reset::Reset;
use svc_library::search::Search;
use svc_library::server::Server;
use svc_library::thumbnails::Thumbnails;
use svc_library::tv::Tv;
use svc_library::video::Video;
use svc_library::waveforms::Waveforms;

use crate::response_cache::ResponseCache;

/// What requests share: the use cases behind the routes, the cache of their responses, and the network around the server.
#[derive(Debug, Clone)]
pub struct AppState {
    /// Trusted proxies and the public address.
    pub proxy_config: ProxyConfig,
    /// Cached responses.
    pub response_cache: Arc<ResponseCache>,
    /// Makes callers known.
    pub authentication: Authentication,
    /// Signs people in.
    pub logins: Logins,
    /// Keeps sessions.
    pub sessions: Sessions,
    /// The first run.
    pub setup: Setup,
    /// Accounts.
    pub accounts: Accounts,
    /// Personal access tokens.
    pub tokens: PersonalAccessTokens,
    /// Roles and who has them.
    pub roles: Roles,
    /// Libraries and who is let into them.
    pub libraries: Libraries,
    /// Settings.
    pub settings: Settings,
    /// Web origins that may call.
    pub origins: Origins,
    /// The audit log.
    pub audit: Audit,
    /// Emptying.
    pub reset: Reset,
    /// What the cloud knows about the server.
    pub cloud_info: CloudInfo,
    /// What tests of clients do without asking; `None` outside of development mode.
    pub dev: Option<Dev>,
    /// The keys of this installation.
    pub keys: KeyRing,
    /// The server about itself.
    pub server: Server,
    /// Runs of the indexer.
    pub indexing: Indexing,
    /// Tells what happens.
    pub events: Events,
    /// Lets clients hear of it.
    pub streams: EventStreams,
    /// Keeps the index up to date by itself.
    pub scan_scheduler: ScanScheduler,
    /// What changed in the library.
    pub changes: ChangeList,
    /// Why a file is in the index or not.
    pub indexed_files: IndexedFiles,
    /// Browsing the directories of media.
    pub browse: Browse,
    /// Finds items.
    pub search: Search,
    /// Browsing music.
    pub music: Music,
    /// Browsing photos.
    pub photos: Photos,
    /// Media files on their way to clients.
    pub open_streams: OpenStreams,
    /// Signed links to items.
    pub links: Links,
    /// What users played.
    pub history: History,
    /// What users are to play.
    pub playback_queues: PlaybackQueues,
    /// What users think of items.
    pub ratings: Ratings,
    /// Browsing movies.
    pub movies: Movies,
    /// Browsing shows.
    pub tv: Tv,
    /// The bytes of movies and episodes, and of what lies beside them.
    pub video: Video,
    /// Albums of photos.
    pub photo_albums: PhotoAlbums,
    /// Long work in the background.
    pub jobs: Jobs,
    /// The bytes of items.
    pub media: Media,
    /// Pictures in smaller sizes.
    pub thumbnails: Thumbnails,
    /// Waveforms of tracks.
    pub waveforms: Waveforms,
    /// The plugins.
    pub plugins: PluginList,
    /// Version counters of what responses are built from.
    pub media_version: MediaStates,
}
