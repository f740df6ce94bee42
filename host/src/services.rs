//! Builds the services in the order of their dependencies.

use crate::config::Config;
use crate::job_types::job_types;
use crate::sign_in::{SignInDependencies, SignInServices};
use std::path::PathBuf;
use std::sync::Arc;
use svc_api::response_cache::ResponseCache;
use svc_api::state::AppState;
use svc_domain::kind::MediaKind;
use svc_events::{EventStreams, Events};
use svc_http_io::proxy::ProxyConfig;
use svc_identity::Context;
use svc_identity::accounts::Accounts;
use svc_identity::activity::ActivityLog;
use svc_identity::audit::{Audit, BackgroundLog};
use svc_identity::authentication::{Authentication, AuthenticationRepositories};
use svc_identity::cloud::Cloud;
use svc_identity::error::{Result, ServiceError};
use svc_identity::keys::KeyRing;
use svc_identity::origins::Origins;
use svc_identity::password::Passwords;
use svc_identity::roles::Roles;
use svc_identity::settings::Settings;
use svc_identity::setup::Setup;
use svc_identity::throttle::{LoginLimits, LoginThrottle};
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
use svc_library::maintenance::Maintenance;
use svc_library::media::Media;
use svc_library::media_version::MediaStates;
use svc_library::movies::Movies;
use svc_library::music::Music;
use svc_library::open_streams::OpenStreams;
use svc_library::photo_albums::PhotoAlbums;
use svc_library::photos::Photos;
use svc_library::playback_queues::PlaybackQueues;
use svc_library::plugins::{PluginAdmin, PluginAdminDependencies};
use svc_library::ratings::Ratings;
use svc_library::reset::Reset;
use svc_library::search::Search;
use svc_library::server::{BuildInfo, Server};
use svc_library::thumbnails::Thumbnails;
use svc_library::tv::Tv;
use svc_library::video::Video;
use svc_library::waveforms::Waveforms;
use svc_platform::data_dir::DataDir;
use svc_platform::disk_cache::DiskCache;
use svc_plugin_host::Plugins;
use svc_store::Store;

/// The dependencies of the services.
#[derive(Debug)]
pub struct Dependencies {
    /// Ids, clock, random numbers, background tasks.
    pub context: Context,
    /// All repositories.
    pub store: Store,
    /// Receives audit entries of background work.
    pub log: BackgroundLog,
    /// Options of the server.
    pub config: Config,
    /// Trusted proxies and the public address.
    pub proxy_config: ProxyConfig,
    /// The data directory.
    pub data_dir: Arc<DataDir>,
    /// The keys of the installation.
    pub keys: KeyRing,
    /// Hashes and verifies passwords.
    pub passwords: Passwords,
    /// Authenticates cloud accounts.
    pub cloud: Arc<dyn Cloud>,
    /// The plugin host.
    pub plugins: Plugins,
    /// The indexer.
    pub indexing: Indexing,
    /// Publishes events.
    pub events: Events,
    /// Version and build of the program.
    pub build: BuildInfo,
    /// Web origins that the operator's options allow.
    pub origins: Vec<String>,
    /// Limits of wrong passwords.
    pub login_limits: LoginLimits,
}

/// Builds the services and the maintenance tasks.
///
/// # Errors
/// The database does not respond, or the operating system cannot start a thread.
pub async fn build(dependencies: Dependencies) -> Result<(AppState, Maintenance)> {
    let Dependencies {
        context,
        store,
        log,
        config,
        passwords,
        cloud,
        keys,
        ..
    } = dependencies;
    let data_dir = Arc::clone(&dependencies.data_dir);
    let waveform_cache = dependencies
        .data_dir
        .waveform_cache()
        .map_err(ServiceError::internal)?;
    let settings = Settings::open(context.clone(), store.settings.clone(), config.kiosk).await?;
    let origins = Origins::open(context.clone(), store.settings.clone(), dependencies.origins).await?;
    let activity = ActivityLog::default();
    let throttle = LoginThrottle::new(dependencies.login_limits);
    let setup_token = config.setup_token.clone();
    let setup = Setup::open(
        context.clone(),
        store.users.clone(),
        passwords.clone(),
        settings.clone(),
        setup_token,
    )
    .await?;
    let sign_in = SignInServices::new(SignInDependencies {
        context: &context,
        store: &store,
        events: &dependencies.events,
        settings: &settings,
        setup: &setup,
        keys: &keys,
        passwords: &passwords,
        throttle: &throttle,
        cloud: &cloud,
        policy: config.cloud.oidc_policy(),
    });
    let (logins, invited) = (sign_in.logins, sign_in.invited);
    let scan_scheduler = ScanScheduler::new(
        context.clone(),
        store.index.clone(),
        dependencies.indexing.clone(),
        settings.clone(),
        setup.clone(),
    );
    let plugins = PluginAdmin::new(PluginAdminDependencies {
        context: context.clone(),
        log: log.clone(),
        plugins: dependencies.plugins.clone(),
        repository: store.plugins.clone(),
        kinds: store.kinds.clone(),
        files: store.files.clone(),
        directories: store.directories.clone(),
        scan_scheduler: scan_scheduler.clone(),
        events: dependencies.events.clone(),
    });
    let media: Arc<[(MediaKind, PathBuf)]> = config.media.clone().into();
    let clock = Arc::clone(&context.clock);
    let quota = config.thumbnail_cache_mib.saturating_mul(1024 * 1024);
    let cache = DiskCache::new(dependencies.data_dir.pictures(), quota, Arc::clone(&clock));
    let thumbnails = Thumbnails::new(
        store.music.clone(),
        store.files.clone(),
        dependencies.plugins.clone(),
        Arc::clone(&clock),
        cache.clone(),
    )
    .map_err(ServiceError::internal)?;
    let waveforms = Waveforms::start(
        store.files.clone(),
        dependencies.plugins.clone(),
        waveform_cache,
        clock,
        dependencies.events.clone(),
    )
    .map_err(ServiceError::internal)?;
    let reset = Reset {
        plugins: plugins.clone(),
        thumbnails: thumbnails.clone(),
        waveforms: waveforms.clone(),
        context: context.clone(),
        database: store.database.clone(),
        directories: store.directories.clone(),
        indexing: dependencies.indexing.clone(),
        keys: keys.clone(),
        settings: settings.clone(),
        origins: origins.clone(),
        setup: setup.clone(),
        throttle,
        data_dir: dependencies.data_dir,
        media,
        lock: Arc::default(),
    };
    let types = job_types(
        &context,
        &store,
        &dependencies.indexing,
        &reset.data_dir,
        (thumbnails.clone(), waveforms.clone()),
        (&dependencies.plugins, &dependencies.events),
    );
    let libraries = Libraries::new(
        context.clone(),
        store.libraries.clone(),
        store.directories.clone(),
    );
    let dev = config.dev.then(|| Dev {
        context: context.clone(),
        users: store.users.clone(),
        libraries: libraries.clone(),
        passwords: passwords.clone(),
        claims: invited.claims.clone(),
        setup: setup.clone(),
        reset: reset.clone(),
        option: config.option_values(),
        setup_token: config.setup_token.clone(),
    });
    let authentication = Authentication::new(
        context.clone(),
        AuthenticationRepositories {
            users: store.users.clone(),
            sessions: store.sessions.clone(),
            tokens: store.tokens.clone(),
            libraries: store.libraries.clone(),
        },
        keys.clone(),
        settings.clone(),
        activity.clone(),
    );
    let playback_queues = PlaybackQueues::new(
        context.clone(),
        store.playback_queues.clone(),
        store.items.clone(),
        store.kinds.clone(),
        dependencies.events.clone(),
    );
    let (music, photos) = (
        Music::new(store.music.clone(), store.user_items.clone()),
        Photos::new(
            context.clone(),
            store.photos.clone(),
            store.photo_albums.clone(),
            store.user_items.clone(),
            dependencies.events.clone(),
        ),
    );
    let photo_albums = PhotoAlbums::new(
        context.clone(),
        store.photo_albums.clone(),
        store.photos.clone(),
        store.users.clone(),
        dependencies.events.clone(),
    );
    let (movies, tv) = (
        Movies::new(store.movies.clone(), store.user_items.clone()),
        Tv::new(store.tv.clone(), store.user_items.clone()),
    );
    let media_files = Media::new(
        store.music.clone(),
        store.files.clone(),
        dependencies.plugins.clone(),
        data_dir,
    );
    let item_kinds = ItemKinds::new(
        store.kinds.clone(),
        store.user_items.clone(),
        dependencies.plugins.clone(),
        media_files.clone(),
        thumbnails.clone(),
    );
    let item_pages = ItemPages::new(
        item_kinds.clone(),
        thumbnails.clone(),
        dependencies.plugins.clone(),
        cache,
    );
    let maintenance = Maintenance {
        context: context.clone(),
        users: store.users.clone(),
        sessions: store.sessions.clone(),
        runs: store.runs.clone(),
        activity: activity.clone(),
        plugins: plugins.clone(),
        settings: settings.clone(),
        origins: origins.clone(),
        waveforms: waveforms.clone(),
    };
    let state = AppState {
        proxy_config: dependencies.proxy_config,
        routes: svc_api::router::routes(),
        api_reference: Arc::default(),
        response_cache: Arc::new(ResponseCache::default()),
        streams: EventStreams::new(dependencies.events.clone(), authentication.clone()),
        sessions: sign_in.sessions,
        device_sign_ins: sign_in.device_sign_ins,
        cloud_links: sign_in.cloud_links,
        oidc: sign_in.oidc,
        accounts: Accounts::new(
            context.clone(),
            store.users.clone(),
            passwords,
            logins.clone(),
            activity.clone(),
            invited.seats.clone(),
        ),
        logins,
        tokens: PersonalAccessTokens::new(context.clone(), store.users.clone(), store.tokens.clone()),
        roles: Roles::new(context.clone(), store.roles.clone(), invited.observer),
        invitations: invited.invitations,
        claims: invited.claims,
        libraries,
        audit: Audit::new(store.audit.clone()),
        cloud_info: CloudInfo::new(
            store.users.clone(),
            cloud,
            invited.seats,
            config.release_channel,
            dependencies.build.committed_at,
            config.dev,
        ),
        server: Server::new(
            store.database.clone(),
            dependencies.plugins.clone(),
            setup.clone(),
            settings.clone(),
            keys.clone(),
            dependencies.build,
            config.kiosk,
        ),
        scan_scheduler,
        changes: ChangeList::new(store.changes.clone()),
        indexed_files: IndexedFiles::new(
            store.directories.clone(),
            store.files.clone(),
            dependencies.plugins.clone(),
        ),
        open_streams: OpenStreams::new(
            settings.clone(),
            authentication.clone(),
            store.files.clone(),
            dependencies.events.sweep_interval(),
        ),
        authentication,
        settings,
        origins,
        setup,
        reset,
        dev,
        links: Links::new(context.clone(), store.items.clone(), keys.clone()),
        keys,
        indexing: dependencies.indexing,
        browse: Browse::new(
            store.directories.clone(),
            store.index.clone(),
            store.libraries.clone(),
            dependencies.plugins.clone(),
        ),
        history: History::new(
            context.clone(),
            store.user_items.clone(),
            store.items.clone(),
            playback_queues.clone(),
        ),
        playback_queues,
        ratings: Ratings::new(context.clone(), store.user_items.clone(), store.items.clone()),
        video: Video::new(store.video_files.clone()),
        search: Search::new(
            store.search.clone(),
            music.clone(),
            photos.clone(),
            photo_albums.clone(),
            movies.clone(),
            tv.clone(),
            item_kinds.clone(),
        ),
        item_kinds,
        item_pages,
        music,
        photos,
        movies,
        tv,
        photo_albums,
        jobs: Jobs::new(context, store.jobs, log, dependencies.events.clone(), types),
        thumbnails,
        media: media_files,
        waveforms,
        events: dependencies.events,
        plugins,
        media_version: MediaStates::new(store.version_counters, store.identity, dependencies.plugins),
    };
    Ok((state, maintenance))
}
