//! All services, put together in the one order in which they need each other.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::browse::Browse;
use super::changes::ChangeList;
use super::cloud::Cloud;
use super::cloud_info::CloudInfo;
use super::dev::Dev;
use super::error::{Result, ServiceError};
use super::events::{Events, Streams};
use super::history::History;
use super::identity::Context;
use super::identity::accounts::Accounts;
use super::identity::activity::{self, ActivityLog};
use super::identity::audit::Audit;
use super::identity::authentication::Authentication;
use super::identity::keys::KeyRing;
use super::identity::login::{KNOWN_ADDRESS, Logins};
use super::identity::roles::Roles;
use super::identity::sessions::Sessions;
use super::identity::setup::Setup;
use super::identity::tokens::PersonalAccessTokens;
use super::indexed_files::IndexedFiles;
use super::indexing::Indexing;
use super::jobs::{self, Jobs};
use super::keeper::Keeper;
use super::libraries::Libraries;
use super::links::Links;
use super::media::Media;
use super::media_state::MediaState;
use super::movies::Movies;
use super::music::Music;
use super::open_streams::OpenStreams;
use super::origins::Origins;
use super::photo_albums::PhotoAlbums;
use super::photos::Photos;
use super::pictures::Pictures;
use super::playback_queues::PlaybackQueues;
use super::plugins::PluginList;
use super::ratings::Ratings;
use super::reset::Reset;
use super::search::Search;
use super::server::{BuildInfo, Server};
use super::settings::Settings;
use super::tv::Tv;
use super::video::Video;
use super::waveforms::Waveforms;
use crate::auth::actor::Actor;
use crate::auth::password::Passwords;
use crate::auth::throttle::{LoginLimits, LoginThrottle};
use crate::config::Config;
use crate::data_dir::DataDir;
use crate::disk_cache::DiskCache;
use crate::domain::kind::MediaKind;
use crate::domain::kind::MediaPart;
use crate::domain::time::Timestamp;
use crate::plugins::Plugins;

/// How often another process's changes are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often what is over is forgotten.
const PRUNE_EVERY: Duration = Duration::from_secs(60 * 60);
/// Runs of the indexer that are kept: each change on disk is one.
const RUNS: i64 = 500;
/// Lines of the audit log that are kept.
const AUDIT_LINES: i64 = 100_000;

/// What services are made of.
#[derive(Debug)]
pub struct Parts {
    /// Store, ids, clock, randomness.
    pub context: Context,
    /// The options.
    pub config: Arc<Config>,
    /// The server's own directory.
    pub data_dir: Arc<DataDir>,
    /// The installation's keys.
    pub keys: KeyRing,
    /// Compares and hashes passwords.
    pub passwords: Passwords,
    /// Who vouches for cloud accounts.
    pub cloud: Arc<dyn Cloud>,
    /// Who reads media files.
    pub plugins: Plugins,
    /// Runs of the indexer.
    pub indexing: Indexing,
    /// Where the indexer tells what happens.
    pub events: Events,
    /// Facts of the build.
    pub build: BuildInfo,
    /// Web origins that the operator's options allow.
    pub origins: Vec<String>,
    /// Limits on wrong passwords.
    pub login_limits: LoginLimits,
}

/// The services, shared by all requests.
#[derive(Debug, Clone)]
pub struct Services {
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
    pub streams: Streams,
    /// Keeps the index up to date by itself.
    pub keeper: Keeper,
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
    pub pictures: Pictures,
    /// Waveforms of tracks.
    pub waveforms: Waveforms,
    /// The plugins.
    pub plugins: PluginList,
    context: Context,
    activity: ActivityLog,
}

impl Services {
    /// Puts them together.
    ///
    /// # Errors
    /// When the database does not answer, or the system gives no threads.
    pub async fn open(parts: Parts) -> Result<Self> {
        let Parts {
            context,
            config,
            passwords,
            cloud,
            keys,
            ..
        } = parts;
        let store = context.store.clone();
        let data_dir = Arc::clone(&parts.data_dir);
        let waveform_cache = parts.data_dir.waveform_cache().map_err(ServiceError::internal)?;
        let settings = Settings::open(context.clone(), config.kiosk).await?;
        let origins = Origins::open(context.clone(), parts.origins).await?;
        let activity = ActivityLog::default();
        let throttle = LoginThrottle::new(parts.login_limits);
        let sessions = Sessions::new(
            context.clone(),
            keys.clone(),
            settings.clone(),
            Arc::clone(&cloud),
        );
        let setup_token = config.setup_token.clone();
        let setup = Setup::open(context.clone(), passwords.clone(), settings.clone(), setup_token).await?;
        let logins = Logins::new(
            context.clone(),
            passwords.clone(),
            throttle.clone(),
            sessions.clone(),
            settings.clone(),
            setup.clone(),
            Arc::clone(&cloud),
        );
        let media: Arc<[(MediaKind, PathBuf)]> = config.media.clone().into();
        let clock = Arc::clone(&context.clock);
        let quota = config.thumbnail_cache_mib.saturating_mul(1024 * 1024);
        let cache = DiskCache::new(parts.data_dir.pictures(), quota, Arc::clone(&clock));
        let pictures = Pictures::new(store.clone(), parts.plugins.clone(), Arc::clone(&clock), cache)
            .map_err(ServiceError::internal)?;
        let waveforms = Waveforms::new(
            store.clone(),
            parts.plugins.clone(),
            waveform_cache,
            clock,
            parts.events.clone(),
        );
        let reset = Reset {
            pictures: pictures.clone(),
            waveforms: waveforms.clone(),
            context: context.clone(),
            indexing: parts.indexing.clone(),
            keys: keys.clone(),
            settings: settings.clone(),
            origins: origins.clone(),
            setup: setup.clone(),
            throttle,
            data_dir: parts.data_dir,
            media,
            turn: Arc::default(),
        };
        let makers = jobs::Makers {
            pictures: pictures.clone(),
            waveforms: waveforms.clone(),
        };
        let types = jobs::registered(&context, &parts.indexing, &reset.data_dir, makers);
        let libraries = Libraries::new(context.clone());
        let dev = config.dev.then(|| Dev {
            context: context.clone(),
            libraries: libraries.clone(),
            passwords: passwords.clone(),
            setup: setup.clone(),
            reset: reset.clone(),
            config: Arc::clone(&config),
        });
        let authentication =
            Authentication::new(context.clone(), keys.clone(), settings.clone(), activity.clone());
        let playback_queues = PlaybackQueues::new(context.clone(), parts.events.clone());
        let (music, photos) = (
            Music::new(store.clone()),
            Photos::new(context.clone(), parts.events.clone()),
        );
        let photo_albums = PhotoAlbums::new(context.clone(), parts.events.clone());
        let (movies, tv) = (Movies::new(store.clone()), Tv::new(store.clone()));
        Ok(Self {
            streams: Streams::new(parts.events.clone(), authentication.clone()),
            sessions,
            accounts: Accounts::new(context.clone(), passwords, logins.clone(), activity.clone()),
            logins,
            tokens: PersonalAccessTokens::new(context.clone()),
            roles: Roles::new(context.clone()),
            libraries,
            audit: Audit::new(store.clone()),
            cloud_info: CloudInfo::new(store.clone(), cloud, config.release_channel, config.dev),
            server: Server::new(
                store.clone(),
                parts.plugins.clone(),
                setup.clone(),
                settings.clone(),
                keys.clone(),
                parts.build,
                config.kiosk,
            ),
            keeper: Keeper::new(
                context.clone(),
                parts.indexing.clone(),
                settings.clone(),
                setup.clone(),
            ),
            changes: ChangeList::new(store.clone()),
            indexed_files: IndexedFiles::new(store.clone(), parts.plugins.clone()),
            open_streams: OpenStreams::new(
                settings.clone(),
                authentication.clone(),
                store.clone(),
                parts.events.look(),
            ),
            authentication,
            settings,
            origins,
            setup,
            reset,
            dev,
            links: Links::new(context.clone(), keys.clone()),
            keys,
            indexing: parts.indexing,
            browse: Browse::new(store.clone(), parts.plugins.clone()),
            history: History::new(context.clone(), playback_queues.clone()),
            playback_queues,
            ratings: Ratings::new(context.clone()),
            video: Video::new(store.clone()),
            search: Search::new(
                store.clone(),
                music.clone(),
                photos.clone(),
                photo_albums.clone(),
                movies.clone(),
                tv.clone(),
            ),
            music,
            photos,
            movies,
            tv,
            photo_albums,
            jobs: Jobs::new(context.clone(), parts.events.clone(), types),
            pictures,
            media: Media::new(store, parts.plugins.clone(), data_dir),
            waveforms,
            events: parts.events,
            plugins: PluginList::new(context.clone(), parts.plugins),
            context,
            activity,
        })
    }

    /// The state of all that an answer about a part of the media, or about all, is made of, for a caller.
    pub fn media_state(&self, actor: &Actor, part: Option<MediaPart>) -> MediaState {
        MediaState::of(&self.context.store, actor, part)
    }

    /// Looks after what changes by itself, for as long as the server runs: another process's changes, the time of
    /// last use, what is over.
    pub async fn maintain(&self) {
        let mut look = tokio::time::interval(LOOK_EVERY);
        let mut write = tokio::time::interval(activity::WRITE_EVERY);
        let mut prune = tokio::time::interval(PRUNE_EVERY);
        loop {
            let outcome = tokio::select! {
                _ = look.tick() => self.look_for_changes().await,
                _ = write.tick() => self.activity.write(&self.context.store).await,
                _ = prune.tick() => self.prune().await,
            };
            if let Err(error) = outcome {
                tracing::warn!(%error, "upkeep of accounts failed; it is tried again");
            }
        }
    }

    async fn look_for_changes(&self) -> Result<()> {
        self.plugins.note_quarantines().await;
        let store = &self.context.store;
        if store.refresh_identity_revision().await? {
            self.settings.reload().await?;
            self.origins.reload().await?;
        }
        Ok(())
    }

    async fn prune(&self) -> Result<()> {
        let ago = |duration: Duration| {
            let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
            Timestamp::from_millis(self.context.now().millis().saturating_sub(millis))
        };
        let store = &self.context.store;
        store.prune_runs(RUNS).await?;
        Ok(store
            .prune_identity(ago(PRUNE_EVERY), ago(KNOWN_ADDRESS), AUDIT_LINES)
            .await?)
    }

    /// Ends what is under way and writes what is only in memory, at the end.
    pub async fn close(&self) {
        self.waveforms.close().await;
        if let Err(error) = self.activity.write(&self.context.store).await {
            tracing::warn!(%error, "the time of last use was not written");
        }
    }
}
