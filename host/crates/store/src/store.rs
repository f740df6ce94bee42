//! All repositories over one open database.

use crate::audit::AuditRepository;
use crate::changes::ChangeRepository;
use crate::db::Database;
use crate::directories::DirectoryRepository;
use crate::files::FileRepository;
use crate::id_nodes::IdNodeRepository;
use crate::identity::IdentityRepository;
use crate::index::IndexRepository;
use crate::instance::InstanceRepository;
use crate::invitations::InvitationRepository;
use crate::items::ItemRepository;
use crate::jobs::JobRepository;
use crate::kinds::KindRepository;
use crate::libraries::LibraryRepository;
use crate::music::MusicRepository;
use crate::photo_albums::PhotoAlbumRepository;
use crate::photos::PhotoRepository;
use crate::playback_queues::PlaybackQueueRepository;
use crate::plugins::PluginRepository;
use crate::roles::RoleRepository;
use crate::runs::RunRepository;
use crate::search::SearchRepository;
use crate::sessions::SessionRepository;
use crate::settings::SettingsRepository;
use crate::tokens::TokenRepository;
use crate::user_items::UserItemRepository;
use crate::users::UserRepository;
use crate::version_counters::VersionCounterRepository;
use crate::video::{MovieRepository, TvRepository, VideoFileRepository};
use svc_database::Result;
use svc_database::StoreOptions;

macro_rules! store {
    ($($(#[$doc:meta])* $field:ident: $repository:ident,)+) => {
        /// All repositories over one open database. Only the composition root, the command line and tests hold it: a
        /// service takes the repositories that it uses. Clones share the database.
        #[derive(Debug, Clone)]
        pub struct Store {
            /// The database itself: closed, pinged, checked and copied as a whole.
            pub database: Database,
            $($(#[$doc])* pub $field: $repository,)+
        }

        impl From<Database> for Store {
            fn from(database: Database) -> Self {
                Self {
                    $($field: $repository { db: database.clone() },)+
                    database,
                }
            }
        }
    };
}

store! {
    /// Audit log.
    audit: AuditRepository,
    /// Changes of the library.
    changes: ChangeRepository,
    /// Configured media directories.
    directories: DirectoryRepository,
    /// Indexed files of any kind.
    files: FileRepository,
    /// Leases of id nodes.
    id_nodes: IdNodeRepository,
    /// Changes of accounts, and their revisions.
    identity: IdentityRepository,
    /// The index as a scan reads and writes it.
    index: IndexRepository,
    /// The identity of this installation.
    instance: InstanceRepository,
    /// Invitations, and the credentials for the clouds that keep them.
    invitations: InvitationRepository,
    /// Items of any type.
    items: ItemRepository,
    /// Background jobs.
    jobs: JobRepository,
    /// Kinds that plugins define, and their items.
    kinds: KindRepository,
    /// Libraries and their access classes.
    libraries: LibraryRepository,
    /// Movies in the scope.
    movies: MovieRepository,
    /// Tracks, releases, artists and genres.
    music: MusicRepository,
    /// Photo albums.
    photo_albums: PhotoAlbumRepository,
    /// Photos.
    photos: PhotoRepository,
    /// Playback queues.
    playback_queues: PlaybackQueueRepository,
    /// Decisions about plugins, and uploaded versions.
    plugins: PluginRepository,
    /// Roles and role assignments.
    roles: RoleRepository,
    /// Scan runs and their logs.
    runs: RunRepository,
    /// The search index.
    search: SearchRepository,
    /// Sessions and their refresh tokens.
    sessions: SessionRepository,
    /// Settings and CORS origins.
    settings: SettingsRepository,
    /// Personal access tokens.
    tokens: TokenRepository,
    /// TV shows, seasons and episodes.
    tv: TvRepository,
    /// History and ratings.
    user_items: UserItemRepository,
    /// Accounts.
    users: UserRepository,
    /// Version counters that invalidate cached responses.
    version_counters: VersionCounterRepository,
    /// Files of movies and episodes.
    video_files: VideoFileRepository,
}

impl Store {
    /// Opens the database at `sqlite:PATH` (created if absent) or `postgres://…` and applies the migrations that it
    /// lacks.
    ///
    /// # Errors
    /// A file that is no database, a database of another program, and one of a newer version of svc are rejected and
    /// left unchanged.
    pub async fn open(url: &str, options: StoreOptions) -> Result<Self> {
        Ok(Database::open(url, &options).await?.into())
    }
}
