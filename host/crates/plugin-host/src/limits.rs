//! All limits of the plugin host, with the measurement or reason behind each.

use std::time::Duration;

/// Bytes of a MiB, the unit of the limits in a manifest.
pub(super) const MIB: u64 = 1024 * 1024;

// Size of a plugin.

/// Bytes of a component. The largest known is a Python guest of 18 MiB.
pub const COMPONENT_BYTES: u64 = 64 * MIB;
/// Bytes of the manifest. A long list of extensions with reasons has 2 KiB.
pub(super) const MANIFEST_BYTES: usize = 64 * 1024;
/// Errors of a manifest that are collected: finding the line of each takes time.
pub(super) const MANIFEST_PROBLEMS: usize = 200;
/// Errors of a manifest that one message names; the rest is only counted.
pub(super) const SHOWN_PROBLEMS: usize = 20;
/// Settings of a plugin: a form that people fill in.
pub(super) const SETTINGS: usize = 32;
/// Characters of a setting that is a text: a list of names, not a document.
pub(super) const SETTING_CHARACTERS: usize = 1_000;
/// Values that a setting can have, if it is a choice.
pub(super) const SETTING_CHOICES: usize = 100;
/// Bytes of a signature file, which has some 200.
pub(super) const SIGNATURE_BYTES: usize = 4 * 1024;
/// Plugin files in the plugin directory; more indicate a wrong directory.
pub(super) const PLUGIN_FILES: usize = 256;

// Compilation, whose cost wasmtime does not limit.

/// Wall-clock time of one compilation. A Python guest takes 20 s of one core.
pub(super) const COMPILE_WALL: Duration = Duration::from_secs(60);
/// CPU seconds of one compilation over all its threads.
pub(super) const COMPILE_CPU_SECONDS: u64 = 120;
/// Address space of the compiling process in bytes: a Python guest needs 330 MiB, the rest is what the allocator
/// reserves per thread.
pub(super) const COMPILE_ADDRESS_SPACE: u64 = 4096 * MIB;
/// Bytes of machine code that are read from the compiling process. A Python guest has 34 MiB.
pub(super) const COMPILED_BYTES: u64 = 256 * MIB;
/// Quota of the cache of compiled code in bytes; the oldest unused code is removed first.
pub(super) const CACHE_BYTES: u64 = 512 * MIB;

// One call.

/// Interval of the ticker that interrupts guests, and so the precision of deadlines.
pub(super) const TICK: Duration = Duration::from_millis(10);
/// How soon a cancelled call ends: on shutdown a decoder stops within a second.
pub(super) const CANCEL_CHECK: Duration = Duration::from_millis(250);
/// Time for creating an instance, start functions included: measured 10 µs, 1 ms for Python.
pub(super) const INSTANTIATION_TIME: Duration = Duration::from_millis(500);
/// Bytes of a guest's stack: less than the smallest thread stack that calls plugins (2 MiB).
pub(super) const STACK_BYTES: usize = 512 * 1024;
/// Core instances of one component: a Python guest has 34, a Rust guest 3.
pub(super) const CORE_INSTANCES: usize = 64;
/// Linear memories of one component; each reserves address space of the host.
pub(super) const MEMORIES: usize = 8;
/// Tables of one component, as many as core instances.
pub(super) const TABLES: usize = 64;
/// Elements of one table; each takes 16 bytes of the host's memory.
pub(super) const TABLE_ELEMENTS: usize = 50_000;
/// An instance with more linear memory than this is not reused: each worker would keep that memory for the whole
/// scan.
pub(super) const MAX_REUSED_MEMORY: u64 = 8 * MIB;

// Host functions.

/// Bytes of one `read-at`, as documented in the interface.
pub(super) const READ_BYTES: u64 = MIB;
/// Sidecars that a plugin can list, as documented in the interface. A movie has ten; thousands of images in one
/// folder are not sidecars.
pub(super) const RELATED_FILES: usize = 256;
/// Rejected host calls after which a guest that keeps calling is stopped.
pub(super) const REJECTED_CALLS: u32 = 1_000;
/// Log lines per file; more would flood the server's log during a scan.
pub(super) const LOG_LINES: u32 = 100;
/// Bytes of one log line before escaping.
pub(super) const LOG_LINE_BYTES: usize = 4 * 1024;

// Output of a guest.

/// Bytes that wasmtime copies out of the guest for one result or host call: twice the limit of an extraction, because
/// of the records around the text.
pub(super) const LIFTED_BYTES: usize = 2 * MIB as usize;
/// Fields of an extraction; extensive tags have 60.
pub(super) const FIELDS: usize = 2_000;
/// Texts in one field: a compilation lists some hundred artists.
pub(super) const TEXTS: usize = 1_000;
/// Bytes of one text, including lyrics and comments.
pub(super) const TEXT_BYTES: usize = 64 * 1024;
/// Bytes of one blob, as of one text.
pub(super) const BLOB_BYTES: usize = 64 * 1024;
/// Bytes of a key. The longest known key has 27.
pub(super) const KEY_BYTES: usize = 128;
/// Bytes of all texts, keys and blobs of an extraction.
pub(super) const EXTRACTION_BYTES: usize = MIB as usize;
/// Pictures of an extraction; a richly tagged release has a dozen scans.
pub(super) const PICTURES: usize = 100;
/// Warnings of an extraction. An operator reads the first few.
pub(super) const WARNINGS: usize = 100;
/// Bytes of a warning, a reason or an error text; longer ones are truncated.
pub(super) const MESSAGE_BYTES: usize = 1024;
/// Bytes of embedded artwork, as documented in the interface.
pub(super) const PICTURE_BYTES: usize = 16 * MIB as usize;
/// Pages of a file, as documented in the interface. The longest known comics and books have some thousands.
pub(super) const PAGES: usize = 10_000;
/// Bytes of a page, as documented in the interface: a double page scanned at 600 dpi, as PNG, has 60 MB.
pub const PAGE_BYTES: usize = 64 * MIB as usize;
/// Bytes of a page's label, as documented in the interface.
pub(super) const PAGE_LABEL_BYTES: usize = 200;
/// Width or height of a page in pixels, as documented in the interface.
pub(super) const PAGE_PIXELS: u32 = 1_000_000;
/// Bytes that wasmtime copies for a list of pages: 10,000 with labels and their records take 4 MiB.
pub(super) const PAGE_LIST_BYTES: usize = 8 * MIB as usize;
/// Bytes of all images of one rendering, as documented in the interface: all sizes as PNGs of noise have 11 MiB.
pub(super) const RENDERED_BYTES: usize = 16 * MIB as usize;
/// Sizes of one rendering; three are used.
pub(super) const RENDERED_SIZES: usize = 8;
/// Bins of a waveform. A screen is some thousand pixels wide.
pub(super) const WAVEFORM_BINS: u32 = 16_384;
/// Sample rate in Hz: twice that of the fastest recordings (DSD as PCM).
pub(super) const SAMPLE_RATE: u32 = 6_144_000;
/// Channels of an audio file. Dolby Atmos beds and third-order Ambisonics have 16; a WAVE header can claim thousands.
pub(super) const CHANNELS: u16 = 256;

// One call of a plugin for accounts (`cloud`).

/// Time of one call in all, as documented in the interface: two requests to a slow service, of 8 s each, do not fit, and
/// people wait for a sign-in no longer. Half a second is left of the 10 s in which clients have their answer.
pub const CLOUD_CALL: Duration = Duration::from_millis(9_500);
/// Time that the guest runs itself: verifying a signature takes some milliseconds, on a small server ten times as many.
/// The guest runs on the threads that answer all requests.
pub(super) const CLOUD_CPU: Duration = Duration::from_secs(2);
/// Bytes of memory, as documented in the interface: the largest response of 4 MiB, several times.
pub(super) const CLOUD_MEMORY: u64 = 64 * MIB;
/// Requests of one call; a sign-in needs three.
pub(super) const CLOUD_REQUESTS: u32 = 16;
/// Bytes of a request's body, as documented in the interface. Requests to a cloud are tokens and small JSON.
pub const REQUEST_BYTES: usize = MIB as usize;
/// Bytes of a response's body, as documented in the interface: a list of invitations or a key set, with room. Held in
/// memory by the host and the guest.
pub const RESPONSE_BYTES: usize = 4 * MIB as usize;
/// Interval between two log lines about failures of such a plugin.
pub(super) const CLOUD_FAILURE_LOG: Duration = Duration::from_secs(60);
/// Different lines of such a plugin within that time: it has some texts for each of a dozen functions.
pub(super) const CLOUD_LOG_TEXTS: usize = 256;

// Quarantine (`quarantine.rs`).

/// Consecutive faults that quarantine a plugin: it fails for every file.
pub(super) const CONSECUTIVE_FAILURES: usize = 5;
/// Number of calls in the window over which the share of faults is computed.
pub(super) const FAILURE_WINDOW: u64 = 200;
/// Faults in the window above which each file gets a new instance: 5 %.
pub(super) const WINDOW_FAILURES_DEGRADED: usize = 10;
/// Faults in the window above which the plugin is quarantined: 25 %. Up to a tenth of a library may be damaged and
/// the rest is still read.
pub(super) const WINDOW_FAILURES_QUARANTINED: usize = 50;

// Faults outside of scans, by purpose (`budget.rs`).

/// Faults of one purpose within the window before calls are rejected: a page of damaged images has some dozens.
pub(super) const BUDGET_FAILURES: usize = 30;
/// Length of the window of [`BUDGET_FAILURES`].
pub(super) const BUDGET_WINDOW: Duration = Duration::from_secs(60);

/// Default and maximum limits of a call, by ability.
#[derive(Debug, Clone, Copy)]
pub struct LimitCaps {
    /// For extracting metadata.
    pub extract: Caps,
    /// For listing and reading pages.
    pub pages: Caps,
    /// For rendering thumbnails.
    pub render: Caps,
    /// For computing waveforms.
    pub analyze: Caps,
}

/// Default and maximum limits of one call.
#[derive(Debug, Clone, Copy)]
pub struct Caps {
    /// Deadline if the manifest requests none.
    pub default_time: Duration,
    /// Longest deadline that a manifest can request.
    pub max_time: Duration,
    /// Bytes of memory if the manifest requests none.
    pub default_memory: u64,
    /// Most bytes of memory that a manifest can request.
    pub max_memory: u64,
    /// Bytes read from the file if the manifest requests none.
    pub default_read_bytes: u64,
    /// Most bytes read from the file that a manifest can request.
    pub max_read_bytes: u64,
    /// Number of reads.
    pub reads: u32,
}

impl Default for LimitCaps {
    fn default() -> Self {
        Self {
            extract: Caps {
                // Ordinary files take 50 µs; a file that takes five seconds is damaged, not slow.
                default_time: Duration::from_secs(5),
                max_time: Duration::from_secs(30),
                // The music plugin stays below 4 MiB; embedded artwork adds its size several times.
                default_memory: 64 * MIB,
                max_memory: 256 * MIB,
                // A tag with large artwork is read completely; a movie never is.
                default_read_bytes: 64 * MIB,
                max_read_bytes: 1024 * MIB,
                // With windows of 32 KiB, two to eight are needed.
                reads: 10_000,
            },
            pages: Caps {
                // A page of 64 MiB is unpacked within a second; a small server is ten times slower.
                default_time: Duration::from_secs(10),
                max_time: Duration::from_secs(30),
                // The largest page, and its compressed form.
                default_memory: 160 * MIB,
                max_memory: 512 * MIB,
                // A list reads the start of each page in windows of 32 KiB: 10,000 pages take 320 MiB.
                default_read_bytes: 1024 * MIB,
                max_read_bytes: 4096 * MIB,
                // Two windows for each page, and those of the largest page.
                reads: 32_768,
            },
            render: Caps {
                // A photo of 12 megapixels takes 0.1 s, one of 100 megapixels a second; a small server is ten times
                // slower.
                default_time: Duration::from_secs(10),
                max_time: Duration::from_secs(30),
                // 24 megapixels with alpha take 92 MiB, twice during rotation.
                default_memory: 256 * MIB,
                max_memory: 512 * MIB,
                // 100 megapixels without compression, 3 bytes each.
                default_read_bytes: 320 * MIB,
                max_read_bytes: 1024 * MIB,
                // 320 MiB in windows of 32 KiB.
                reads: 10_240,
            },
            analyze: Caps {
                // Decoding is 100 to 500 times faster than playback: an hour takes half a minute, an audiobook of a
                // day takes minutes on a small server.
                default_time: Duration::from_secs(120),
                max_time: Duration::from_secs(600),
                // Decoders buffer a few packets; embedded artwork is skipped or buffered once.
                default_memory: 64 * MIB,
                max_memory: 128 * MIB,
                // The whole file is read, and a WAVE file has up to 4 GiB.
                default_read_bytes: 4096 * MIB,
                max_read_bytes: 16_384 * MIB,
                // 4 GiB in windows of 32 KiB, twice: some formats need two passes.
                reads: 262_144,
            },
        }
    }
}
