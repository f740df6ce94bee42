//! Access to the operating system: data directory and secret keys, caches on disk, media files opened read-only below
//! their root, randomness, background tasks and worker pools, allocator settings; and argon2id.
//!
//! May use `svc-domain`. Knows no SQL, no HTTP and no plugins.
//!
//! To add something: one module per resource of the system. Only `media_root` opens media files, and never for writing.

pub mod argon2id;
pub mod backups;
pub mod data_dir;
pub mod disk_cache;
pub mod malloc;
pub mod media_root;
pub mod open_files;
pub mod random;
pub mod sealing_key;
pub mod secret_key;
pub mod single_flight;
pub mod tasks;
pub mod worker_pool;
