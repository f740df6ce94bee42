//! Every limit of the plugin host in one table: the value and the reason for it.

use std::time::Duration;

use crate::manifest::{AskedLimits, Manifest, ManifestFiles};

const MIB: u64 = 1024 * 1024;

// What a plugin may be.

/// Bytes of a component. The largest seen is a Python guest of 18 MiB; past this nobody ships an extractor.
pub(super) const COMPONENT_BYTES: u64 = 64 * MIB;
/// Bytes of the manifest. A long list of extensions with reasons is 2 KiB.
pub(super) const MANIFEST_BYTES: usize = 64 * 1024;
/// Plugin files looked at in a plugin directory: a wrong directory is named instead of read for minutes.
pub(super) const PLUGIN_FILES: usize = 256;

// Compilation, which wasmtime does not promise to be cheap.

/// Wall-clock time of one compilation. A Python guest takes 20 s of one core.
pub(super) const COMPILE_WALL: Duration = Duration::from_secs(60);
/// Processor seconds of one compilation over all its threads.
pub(super) const COMPILE_CPU_SECONDS: u64 = 120;
/// Address space of the compiling process in bytes: 330 MiB are in use for a Python guest, the rest is the
/// allocator's reserve for each thread.
pub(super) const COMPILE_ADDRESS_SPACE: u64 = 4096 * MIB;
/// Bytes of compiled code taken from the compiling process. A Python guest gives 34 MiB.
pub(super) const COMPILED_BYTES: u64 = 256 * MIB;
/// Bytes of compiled code kept on disk, in use or not; the oldest unused go first.
pub(super) const CACHE_BYTES: u64 = 512 * MIB;

// One call.

/// How often the interrupting clock ticks, and so how late a guest may be stopped.
pub(super) const TICK: Duration = Duration::from_millis(10);
/// How soon a call ends that nobody waits for any more: a server that ends lets go of a decoder within a second.
pub(super) const CANCEL_LOOK: Duration = Duration::from_millis(250);
/// Time for creating an instance, start functions included: measured 10 µs, 1 ms for Python.
pub(super) const START_TIME: Duration = Duration::from_millis(500);
/// Bytes of a guest's machine stack: below the smallest thread stack that calls plugins (2 MiB).
pub(super) const STACK_BYTES: usize = 512 * 1024;
/// Core instances of one component: a Python guest has 34, a Rust guest 3.
pub(super) const CORE_INSTANCES: usize = 64;
/// Linear memories of one component.
pub(super) const MEMORIES: usize = 8;
/// Tables of one component.
pub(super) const TABLES: usize = 64;
/// Elements of one table; 16 bytes each in the host.
pub(super) const TABLE_ELEMENTS: usize = 50_000;
/// Linear memory in bytes above which an instance is not kept for the next file: kept memory is paid for by
/// each worker as long as the scan runs.
pub(super) const KEPT_MEMORY: u64 = 8 * MIB;

// The host's functions.

/// Bytes of one `read-at`, as the interface says.
pub(super) const READ_BYTES: u64 = MIB;
/// Files beside the current one that a plugin is told of, as the interface says. A film has ten; a folder with
/// thousands of stray pictures is nobody's sidecar.
pub(super) const RELATED_FILES: usize = 256;
/// Refused calls of the host after which a guest that does not take no for an answer is stopped.
pub(super) const REFUSALS: u32 = 1_000;
/// Log lines of one file.
pub(super) const LOG_LINES: u32 = 100;
/// Bytes of one log line before escaping.
pub(super) const LOG_LINE_BYTES: usize = 4 * 1024;

// What a guest may answer.

/// Bytes that wasmtime copies out of the guest for one answer or host call: twice the extraction's limit, for
/// the records around the text.
pub(super) const LIFTED_BYTES: usize = 2 * MIB as usize;
/// Fields of an extraction; generous tags have 60.
pub(super) const FIELDS: usize = 2_000;
/// Texts in one field.
pub(super) const TEXTS: usize = 1_000;
/// Bytes of one text: lyrics and comments included.
pub(super) const TEXT_BYTES: usize = 64 * 1024;
/// Bytes of one blob.
pub(super) const BLOB_BYTES: usize = 64 * 1024;
/// Bytes of a key.
pub(super) const KEY_BYTES: usize = 128;
/// Bytes of all texts, keys and blobs of an extraction.
pub(super) const EXTRACTION_BYTES: usize = MIB as usize;
/// Pictures of an extraction.
pub(super) const PICTURES: usize = 100;
/// Warnings of an extraction.
pub(super) const WARNINGS: usize = 100;
/// Bytes of a warning, a reason or an error's text; longer ones are cut.
pub(super) const MESSAGE_BYTES: usize = 1024;
/// Bytes of a picture, as the interface says.
pub(super) const PICTURE_BYTES: usize = 16 * MIB as usize;
/// Bytes of all images of one rendering, as the interface says: the sizes in use as PNGs of noise are 11 MiB.
pub(super) const RENDERED_BYTES: usize = 16 * MIB as usize;
/// Sizes of one rendering; three are in use.
pub(super) const RENDERED_SIZES: usize = 8;
/// Bins of a waveform. A screen is some thousand pixels wide.
pub(super) const WAVEFORM_BINS: u32 = 16_384;
/// Hertz of the fastest recordings (DSD as PCM), with room.
pub(super) const SAMPLE_RATE: u32 = 6_144_000;
/// Channels of a sound; Dolby Atmos beds and third-order Ambisonics have 16, Wave can claim thousands.
pub(super) const CHANNELS: u16 = 256;

// When a plugin is shut off (`breaker`).

/// Failures of the plugin in a row that end its use: it fails at everything.
pub(super) const CONSECUTIVE_FAILURES: usize = 5;
/// The calls over which shares are counted.
pub(super) const FAILURE_WINDOW: u64 = 200;
/// Failures within the window above which each file gets a fresh instance: 5 %.
pub(super) const WINDOW_FAILURES_DEGRADED: usize = 10;
/// Failures within the window above which the plugin's use ends: 25 %. A tenth of a library may be poison and
/// the rest is still read.
pub(super) const WINDOW_FAILURES_QUARANTINED: usize = 50;

// What it may fail at beside scans, by purpose (`budget`).

/// Failures of one purpose within the window, until it has to wait: a page of broken pictures is some dozens.
pub(super) const BUDGET_FAILURES: usize = 30;
/// The time over which they are counted.
pub(super) const BUDGET_WINDOW: Duration = Duration::from_secs(60);

/// The most that a plugin can get for one file, and what it gets when it asks for nothing, by what is asked of it.
#[derive(Debug, Clone, Copy)]
pub struct LimitCaps {
    /// For saying what a file says about itself.
    pub extract: Caps,
    /// For drawing a picture in smaller sizes.
    pub render: Caps,
    /// For summing up the sound of a file.
    pub measure: Caps,
}

/// The most that a plugin can get for one call, and what it gets when it asks for nothing.
#[derive(Debug, Clone, Copy)]
pub struct Caps {
    /// Time for one file, when the manifest asks for none.
    pub default_time: Duration,
    /// The most time for one file that a manifest can ask for.
    pub max_time: Duration,
    /// Bytes of memory, when the manifest asks for none.
    pub default_memory: u64,
    /// The most bytes of memory that a manifest can ask for.
    pub max_memory: u64,
    /// Bytes read from one file, when the manifest asks for none.
    pub default_read_bytes: u64,
    /// The most bytes read from one file that a manifest can ask for.
    pub max_read_bytes: u64,
    /// Reads of one file.
    pub reads: u32,
}

impl Default for LimitCaps {
    fn default() -> Self {
        Self {
            extract: Caps {
                // Ordinary files take 50 µs; five seconds are a file that is wrong, not one that is slow.
                default_time: Duration::from_secs(5),
                max_time: Duration::from_secs(30),
                // The music plugin stays below 4 MiB, a picture in a tag adds its own size a few times.
                default_memory: 64 * MIB,
                max_memory: 256 * MIB,
                // A tag with a large picture in it is read whole; a film never is.
                default_read_bytes: 64 * MIB,
                max_read_bytes: 1024 * MIB,
                // Windows of 32 KiB need two to eight.
                reads: 10_000,
            },
            render: Caps {
                // A photo of 12 megapixels takes 0.1 s, one of 100 megapixels a second; a small server is ten times
                // slower.
                default_time: Duration::from_secs(10),
                max_time: Duration::from_secs(30),
                // 24 megapixels with alpha are 92 MiB, and are there twice while they are turned.
                default_memory: 256 * MIB,
                max_memory: 512 * MIB,
                // 100 megapixels without compression, 3 bytes each.
                default_read_bytes: 320 * MIB,
                max_read_bytes: 1024 * MIB,
                // 320 MiB in windows of 32 KiB.
                reads: 10_240,
            },
            measure: Caps {
                // Decoding is 100 to 500 times as fast as listening: an hour takes half a minute, and an audiobook of
                // a day on a small server minutes.
                default_time: Duration::from_secs(120),
                max_time: Duration::from_secs(600),
                // Decoders hold a few packets; a picture in a tag is skipped or held once.
                default_memory: 64 * MIB,
                max_memory: 128 * MIB,
                // The whole file is read, and a Wave file has up to 4 GiB.
                default_read_bytes: 4096 * MIB,
                max_read_bytes: 16_384 * MIB,
                // 4 GiB in windows of 32 KiB, twice: some formats are read in two passes.
                reads: 262_144,
            },
        }
    }
}

/// What one plugin gets for one call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) time: Duration,
    /// Bytes over all of an instance's memories.
    pub(super) memory: u64,
    pub(super) read_bytes: u64,
    pub(super) reads: u32,
}

impl Limits {
    /// What the manifest asks for, as far as the host allows it.
    pub(super) fn granted(asked: &AskedLimits, caps: &Caps) -> Self {
        let mib = |asked: Option<u32>, default: u64, max: u64| {
            asked.map_or(default, |mib| u64::from(mib) * MIB).min(max)
        };
        Self {
            time: asked
                .seconds_per_file
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
                .unwrap_or(caps.default_time)
                .min(caps.max_time),
            memory: mib(asked.memory_mib, caps.default_memory, caps.max_memory),
            read_bytes: mib(asked.read_mib, caps.default_read_bytes, caps.max_read_bytes),
            reads: caps.reads,
        }
    }
}

/// What one plugin gets for each call, by what is asked of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct AbilityLimits {
    pub(super) extract: Limits,
    pub(super) render: Limits,
    pub(super) measure: Limits,
}

impl AbilityLimits {
    /// What the manifest asks for, as far as the host allows it.
    pub(super) fn granted(manifest: &Manifest, caps: &LimitCaps) -> Self {
        let of = |files: &Option<ManifestFiles>, caps| {
            let asked = files.as_ref().map(|files| &files.limits);
            Limits::granted(asked.unwrap_or(&AskedLimits::default()), caps)
        };
        Self {
            extract: Limits::granted(&manifest.limits, &caps.extract),
            render: of(&manifest.renders, &caps.render),
            measure: of(&manifest.measures, &caps.measure),
        }
    }
}
