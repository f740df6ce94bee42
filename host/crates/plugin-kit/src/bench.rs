//! `svc plugin bench`: time of a plugin per file, with a new instance for each, recycled ones and a warm one; memory
//! and reads.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Serialize, Serializer};
use svc_plugin_host::Isolation;

use crate::error::KitError;
use crate::media::Media;
use crate::probe::Recorded;
use crate::sandbox::{HostOptions, Sandbox};
use crate::text;

/// Calls of one file, at least: the median of fewer says little.
const MIN_CALLS: u32 = 10;
/// Calls of one file, at most.
const MAX_CALLS: u32 = 2_000;
/// Time for one file and isolation, unless it takes longer for `MIN_CALLS`.
const TIME: Duration = Duration::from_millis(500);
/// Files per instance of a plugin that was added to a server.
const RECYCLED: u32 = 64;

/// The measurements.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BenchReport {
    /// Id of the plugin.
    pub id: String,
    /// Version of the plugin.
    pub version: String,
    /// In the order of the arguments.
    pub files: Vec<BenchFile>,
    /// The most linear memory of an instance, in bytes.
    pub max_memory: u64,
    /// The allowed time per file with recycled instances, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "optional_micros")]
    pub budget: Option<Duration>,
}

/// The measurements of one file. Times are medians, in microseconds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BenchFile {
    /// As given.
    pub file: PathBuf,
    /// In bytes.
    pub size: u64,
    /// With a new instance for each call.
    #[serde(rename = "freshUs", serialize_with = "micros")]
    pub fresh: Duration,
    /// With a new instance for every 64 calls, as in a server.
    #[serde(rename = "recycledUs", serialize_with = "micros")]
    pub recycled: Duration,
    /// With one instance.
    #[serde(rename = "warmUs", serialize_with = "micros")]
    pub warm: Duration,
    /// Number of reads.
    pub reads: usize,
    /// Bytes read.
    pub bytes_read: u64,
}

impl BenchReport {
    /// The files that take longer than the budget.
    pub fn over_budget(&self) -> impl Iterator<Item = &BenchFile> {
        let budget = self.budget.unwrap_or(Duration::MAX);
        self.files.iter().filter(move |file| file.recycled > budget)
    }
}

/// Measures the plugin with these files.
///
/// # Errors
/// The plugin cannot be loaded, or a file not be opened.
pub fn bench(
    options: &HostOptions,
    plugin: &Path,
    media: &[PathBuf],
    budget: Option<Duration>,
) -> Result<BenchReport, KitError> {
    let load = |isolation| Sandbox::load(options, plugin, isolation);
    let sandboxes = [
        load(Isolation::PerFile)?,
        load(Isolation::Recycle(RECYCLED))?,
        load(Isolation::Worker)?,
    ];
    let [_, _, warm] = &sandboxes;
    let manifest = warm.manifest().clone();
    let mut files = Vec::with_capacity(media.len());
    for path in media {
        let root = path.parent().unwrap_or(Path::new(""));
        let media = Media::open(path, root, &manifest)?;
        let recorded = Recorded::new(Arc::clone(&media.bytes));
        warm.reader().read(&media.source_of(recorded.clone(), media.size));
        let reads = recorded.reads();
        let [fresh, recycled, warm] = sandboxes.each_ref().map(|sandbox| median(sandbox, &media));
        files.push(BenchFile {
            file: path.clone(),
            size: media.size,
            fresh,
            recycled,
            warm,
            reads: reads.len(),
            bytes_read: reads.iter().map(|read| read.returned).sum(),
        });
    }
    Ok(BenchReport {
        id: manifest.id,
        version: manifest.version,
        files,
        max_memory: sandboxes
            .iter()
            .map(Sandbox::max_memory)
            .max()
            .unwrap_or_default(),
        budget,
    })
}

/// The median of repeated calls.
fn median(sandbox: &Sandbox, media: &Media) -> Duration {
    let mut reader = sandbox.reader();
    let source = media.source();
    let began = Instant::now();
    let mut times = Vec::new();
    for call in 0..MAX_CALLS {
        if call >= MIN_CALLS && began.elapsed() >= TIME {
            break;
        }
        let started = Instant::now();
        reader.read(&source);
        times.push(started.elapsed());
    }
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// A time as an option states it: a number with `us`, `ms` or `s`.
///
/// # Errors
/// It is not such a number.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let units = [("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)];
    let found = units.iter().find_map(|(unit, seconds)| {
        let number: f64 = text.strip_suffix(unit)?.trim().parse().ok()?;
        Duration::try_from_secs_f64(number * seconds).ok()
    });
    found.ok_or_else(|| "is not a time such as 250us, 1.5ms or 1s".to_owned())
}

fn micros<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((time.as_secs_f64() * 1e7).round() / 10.0)
}

fn optional_micros<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    match time {
        Some(time) => micros(time, serializer),
        None => serializer.serialize_none(),
    }
}

impl fmt::Display for BenchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}, median time per file", self.id, self.version)?;
        writeln!(
            f,
            "{:>10} {:>10} {:>10} {:>6} {:>10} {:>10}  file",
            "fresh", "recycled", "warm", "reads", "read", "size"
        )?;
        for file in &self.files {
            writeln!(
                f,
                "{:>10} {:>10} {:>10} {:>6} {:>10} {:>10}  {}",
                text::time(file.fresh),
                text::time(file.recycled),
                text::time(file.warm),
                file.reads,
                text::bytes(file.bytes_read),
                text::bytes(file.size),
                text::printable(&file.file.display().to_string()),
            )?;
        }
        write!(f, "memory of an instance: {}", text::bytes(self.max_memory))?;
        for file in self.over_budget() {
            let (time, budget) = (
                text::time(file.recycled),
                text::time(self.budget.unwrap_or_default()),
            );
            write!(
                f,
                "\nOVER BUDGET: {} takes {time}, allowed are {budget}",
                file.file.display()
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(parse_time("250us"), Ok(Duration::from_micros(250)));
        assert_eq!(parse_time("1.5ms"), Ok(Duration::from_micros(1500)));
        assert_eq!(parse_time("2s"), Ok(Duration::from_secs(2)));
        for wrong in ["", "5", "-1ms", "ms", "1h", "inf s"] {
            assert!(parse_time(wrong).is_err(), "{wrong}");
        }
    }
}
