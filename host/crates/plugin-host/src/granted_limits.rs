//! The limits that are in force for a plugin: those that its manifest requests, within the caps.

use std::time::Duration;

use crate::limits::{Caps, LimitCaps, MIB};
use crate::manifest::{Manifest, ManifestFiles, RequestedLimits};

/// Limits of one plugin for one call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) time: Duration,
    /// Bytes of all memories of an instance.
    pub(super) memory: u64,
    pub(super) read_bytes: u64,
    pub(super) reads: u32,
}

impl Limits {
    /// The limits that the manifest requests, within the caps.
    pub(super) fn granted(requested: &RequestedLimits, caps: &Caps) -> Self {
        let mib = |requested: Option<u32>, default: u64, max: u64| {
            requested.map_or(default, |mib| u64::from(mib) * MIB).min(max)
        };
        Self {
            time: requested
                .seconds_per_file
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
                .unwrap_or(caps.default_time)
                .min(caps.max_time),
            memory: mib(requested.memory_mib, caps.default_memory, caps.max_memory),
            read_bytes: mib(requested.read_mib, caps.default_read_bytes, caps.max_read_bytes),
            reads: caps.reads,
        }
    }
}

/// Limits of one plugin, by ability.
#[derive(Debug, Clone, Copy)]
pub(super) struct AbilityLimits {
    pub(super) extract: Limits,
    pub(super) pages: Limits,
    pub(super) render: Limits,
    pub(super) analyze: Limits,
}

impl AbilityLimits {
    /// The limits that the manifest requests, within the caps.
    pub(super) fn granted(manifest: &Manifest, caps: &LimitCaps) -> Self {
        let of = |files: &Option<ManifestFiles>, caps| {
            let requested = files.as_ref().map(|files| &files.limits);
            Limits::granted(requested.unwrap_or(&RequestedLimits::default()), caps)
        };
        Self {
            extract: Limits::granted(&manifest.limits, &caps.extract),
            pages: Limits::granted(&manifest.limits, &caps.pages),
            render: of(&manifest.thumbnailer, &caps.render),
            analyze: of(&manifest.waveform, &caps.analyze),
        }
    }
    /// The limits of the abilities that the manifest has, beside the requested ones.
    pub(super) fn listed(&self, manifest: &Manifest, has_pages: bool) -> Vec<GrantedLimits> {
        let extractor =
            (!manifest.kinds.is_empty()).then_some(("extractor", &manifest.limits, &self.extract));
        let pages = has_pages.then_some(("pages", &manifest.limits, &self.pages));
        let thumbnailer = manifest.thumbnailer.as_ref();
        let thumbnailer = thumbnailer.map(|files| ("thumbnailer", &files.limits, &self.render));
        let waveform = manifest.waveform.as_ref();
        let waveform = waveform.map(|files| ("waveform", &files.limits, &self.analyze));
        [extractor, pages, thumbnailer, waveform]
            .into_iter()
            .flatten()
            .map(|(ability, requested, limits)| GrantedLimits {
                ability,
                requested: requested.clone(),
                time: limits.time,
                memory: limits.memory,
                read_bytes: limits.read_bytes,
                reads: limits.reads,
            })
            .collect()
    }
}

/// The limits of one ability: those in force beside those that the manifest requests.
#[derive(Debug, Clone, PartialEq)]
pub struct GrantedLimits {
    /// Name of the interface such as `extractor`.
    pub ability: &'static str,
    /// As in the manifest.
    pub requested: RequestedLimits,
    /// Deadline of one call.
    pub time: Duration,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes read from the file.
    pub read_bytes: u64,
    /// Number of reads.
    pub reads: u32,
}

impl GrantedLimits {
    /// The limits of the abilities that the manifest has, and of `pages` if they are exported.
    pub fn of(manifest: &Manifest, has_pages: bool, caps: &LimitCaps) -> Vec<Self> {
        AbilityLimits::granted(manifest, caps).listed(manifest, has_pages)
    }
}
