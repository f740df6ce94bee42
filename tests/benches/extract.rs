//! Extraction in the sandbox compared with native parsers (lofty, kamadak-exif), in one run.
//!
//! `cargo bench -p svc-tests` on files that the fixtures make; `SVC_BENCH_MUSIC` and `SVC_BENCH_PHOTOS` name
//! directories of other ones. Figures are CPU time of the thread per file, the median of interleaved rounds, and its
//! ratio to native.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a tool for measuring: prints, reads its arguments, and may stop at a fault"
)]

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use lofty::config::ParseOptions;
use lofty::file::{AudioFile as _, TaggedFileExt as _};
use lofty::probe::Probe;
use rustix::time::{ClockId, clock_gettime};
use svc_domain::kind::MediaKind;
use svc_plugin_host::{
    BuiltIn, Compiler, Component, Isolation, IsolationPolicy, LimitCaps, PluginSettings, Plugins, SourceFile,
};

const ROUNDS: usize = 7;
const MODES: [(&str, Isolation); 3] = [
    ("warm instance", Isolation::Worker),
    ("recycled every 64", Isolation::Recycle(64)),
    ("fresh", Isolation::PerFile),
];

fn main() -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let music = files("SVC_BENCH_MUSIC", scratch.path(), |dir| {
        svc_fixtures::many_files(dir, 600, 1)?;
        Ok(())
    })?;
    let photos = files("SVC_BENCH_PHOTOS", scratch.path(), |dir| {
        svc_fixtures::many_photos(dir, 600, 1)?;
        Ok(())
    })?;
    println!("| files | mode | µs a file | of native |\n|---|---|---|---|");
    compare(scratch.path(), "music", &music, native_music)?;
    compare(scratch.path(), "photos", &photos, native_photo)
}

/// The files to read: those below the variable's directory, or made ones.
fn files(variable: &str, scratch: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<Vec<PathBuf>> {
    let root = match std::env::var_os(variable) {
        Some(path) => PathBuf::from(path),
        None => {
            let path = scratch.join(variable);
            std::fs::create_dir(&path)?;
            make(&path)?;
            path
        }
    };
    let mut files = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Uses the result, so that nothing is optimized away.
fn native_music(path: &Path) -> Option<u64> {
    let options = ParseOptions::new().read_cover_art(false);
    let file = Probe::open(path)
        .ok()?
        .options(options)
        .guess_file_type()
        .ok()?
        .read()
        .ok()?;
    let tags: u64 = file.tags().iter().map(|tag| u64::from(tag.item_count())).sum();
    Some(tags + file.properties().duration().as_millis() as u64)
}

fn native_photo(path: &Path) -> Option<u64> {
    let mut reader = BufReader::new(File::open(path).ok()?);
    let exif = exif::Reader::new().read_from_container(&mut reader).ok()?;
    Some(exif.fields().count() as u64)
}

fn compare(scratch: &Path, kind: &str, files: &[PathBuf], native: fn(&Path) -> Option<u64>) -> Result<()> {
    let media_kind: MediaKind = kind.parse()?;
    let built_in = [BuiltIn {
        name: "benchmarked",
        component: Component::Plain(svc_tests::sandbox::component(kind)),
    }];
    let hosts = MODES
        .iter()
        .map(|(_, isolation)| {
            let settings = PluginSettings {
                cache_dir: scratch.join("cache"),
                cache_key: [1; 32],
                compiler: Compiler::InProcess,
                plugin_dir: None,
                choices: Default::default(),
                kinds_in_use: None,
                isolation: IsolationPolicy {
                    built_in: *isolation,
                    third_party: *isolation,
                },
                caps: LimitCaps::default(),
            };
            Ok(Plugins::load(&settings, &built_in)?)
        })
        .collect::<Result<Vec<_>>>()?;
    let mut times = vec![Vec::new(); MODES.len() + 1];
    for _ in 0..ROUNDS {
        let start = cpu_seconds();
        let read = files
            .iter()
            .filter_map(|path| native(path))
            .map(std::hint::black_box)
            .count();
        times[0].push((cpu_seconds() - start) / files.len() as f64);
        anyhow::ensure!(
            read * 2 > files.len(),
            "native reads {read} of {} files only",
            files.len()
        );
        for (times, host) in times.iter_mut().skip(1).zip(&hosts) {
            times.push(sandboxed(host, &media_kind, files)?);
        }
    }
    let medians: Vec<f64> = times.into_iter().map(median).collect();
    let names = std::iter::once("native").chain(MODES.iter().map(|(name, _)| *name));
    for (name, seconds) in names.zip(&medians) {
        println!(
            "| {kind} ({}) | {name} | {:.1} | {:.2} |",
            files.len(),
            seconds * 1e6,
            seconds / medians[0]
        );
    }
    Ok(())
}

fn sandboxed(host: &Plugins, kind: &MediaKind, files: &[PathBuf]) -> Result<f64> {
    let mut worker = host.worker();
    let start = cpu_seconds();
    for path in files {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let Some(plugin) = host.for_file(kind, &svc_domain::path::extension(&name)) else {
            continue;
        };
        let file = File::open(path)?;
        let size = file.metadata()?.len();
        // Failures cost time too.
        let _ = std::hint::black_box(worker.extract(&plugin, &Arc::new(SourceFile::new(file, name, size))));
    }
    Ok((cpu_seconds() - start) / files.len() as f64)
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
