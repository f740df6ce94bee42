//! The store: the only crate with SQL. SQLite embedded, PostgreSQL by URL, one query text for both.
//!
//! May use `svc-domain` and `svc-database`. One repository per resource, each with its queries and its transactions;
//! [`Store`] holds all of them over one [`Database`]. A query is written once, with `$1` placeholders and the SQL that both databases
//! accept; `dialect.rs` of `svc-database` holds the differences. Every list is ordered by an index. All writes go through
//! `write_queue.rs` there: interactive writes come before those of a scan.
//!
//! - `db/`: the handle under all repositories
//! - `query/`: the parts of SQL that several repositories share
//! - `identity/`, `scan_writer/`, `playback_queues/change.rs`: transactions of several steps, which their callers commit
//! - all others: a file or folder for each repository
//!
//! To add a table: a migration of the next number in both folders of `migrations/`, a repository here and in
//! `store.rs`, and a contract test in `tests/`, which runs on both databases.

mod audit;
mod changes;
mod cloud_links;
mod cloud_sessions;
mod db;
mod device_sign_ins;
mod directories;
mod files;
mod id_nodes;
mod identity;
mod index;
mod instance;
mod invitations;
mod items;
mod jobs;
mod kinds;
mod libraries;
mod music;
mod photo_albums;
mod photos;
mod playback_queues;
mod plugin_state;
mod plugins;
mod query;
mod roles;
mod runs;
mod scan_writer;
mod search;
mod sessions;
mod settings;
mod single_use;
mod store;
#[cfg(test)]
mod tests;
mod text;
mod tokens;
mod user_items;
mod users;
mod version_counters;
mod video;

pub use audit::{AuditFilter, AuditRepository};
pub use changes::ChangeRepository;
pub use cloud_sessions::CloudSessionRow;
pub use db::search_index::SearchIndex;
pub use db::{Database, DatabaseVersion};
pub use device_sign_ins::DeviceSignInRepository;
pub use directories::DirectoryRepository;
pub use files::{
    EmbeddedPicture, FileRepository, IndexedFile, KnownFile, MediaFile, SampleOrder, SampledFile,
};
pub use id_nodes::{IdNodeRepository, RENEW_EVERY as RENEW_ID_NODE_EVERY};
pub use identity::{IdentityChange, IdentityRepository};
pub use index::{FileByContent, IndexRepository, KeptReading, KeptVersion, StaleFile};
pub use instance::{Instance, InstanceRepository};
pub use invitations::{InvitationRepository, NewInvitation};
pub use items::ItemRepository;
pub use jobs::{JobFilter, JobItems, JobRepository};
pub use kinds::{FacetFilter, KindItemFilter, KindItemOrder, KindRepository, StoredField, StoredKind};
pub use libraries::LibraryRepository;
pub use music::{
    ArtistFilter, ArtistOrder, GenreOrder, MusicRepository, ReleaseFilter, ReleaseOrder, TrackFilter,
    TrackOrder,
};
pub use photo_albums::{AlbumOrder, NewPhotoAlbum, PhotoAlbumRepository};
pub use photos::{BoundingBox, PhotoFilter, PhotoOrder, PhotoRepository};
pub use playback_queues::{PlaybackQueueRepository, QueueChange, QueuePosition, QueueWindow};
pub use plugin_state::{PluginStateRepository, StateValue};
pub use plugins::PluginRepository;
pub use query::item_filter::ItemFilter;
pub use roles::RoleRepository;
pub use runs::{RunLogFilter, RunRepository};
pub use scan_writer::{
    FolderDone, ItemChange, PersistOutcome, PluginVersion, PurgedPart, RecomputeOutcome, ScanBatch,
    ScanWriter, StoredFile, digest_of,
};
pub use search::{Hits, SearchRepository};
pub use sessions::{PresentedRefresh, Rotation, SessionRepository};
pub use settings::{ServerSetting, SettingsRepository};
pub use store::Store;
pub use svc_database::{Result, StoreError, StoreOptions};
pub use tokens::TokenRepository;
pub use user_items::{UserItemList, UserItemRepository};
pub use users::{Activity, NewUser, UserRepository};
pub use version_counters::VersionCounterRepository;
pub use video::{
    MovieFilter, MovieOrder, MovieRepository, ShowFilter, ShowOrder, SubtitleFile, TvRepository,
    VideoFileRepository,
};
