//! What the server asks of the operating system: its data directory and keys, caches on disk, media files opened read-only
//! below their root, randomness, background tasks, the allocator's settings.
//!
//! May use `svc-domain`. Knows no SQL, no HTTP and no plugins.
//!
//! To add something: one module per resource of the system. Media files are opened by `media_root` alone, and never
//! for writing.

pub mod backups;
pub mod data_dir;
pub mod disk_cache;
pub mod malloc;
pub mod media_root;
pub mod open_files;
pub mod random;
pub mod secret_key;
pub mod tasks;
