//! `svc plugin run`: what a plugin returns for media files, and which bytes it read.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value as Json;
use svc_plugin_host::Isolation;

use crate::error::KitError;
use crate::media::Media;
use crate::probe::{Read, Recorded};
use crate::sandbox::{HostOptions, Sandbox};
use crate::text;

/// The results for some files.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunReport {
    /// Id of the plugin.
    pub id: String,
    /// Version of the plugin.
    pub version: String,
    /// In the order of the arguments.
    pub files: Vec<FileReport>,
}

/// The result for one file.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileReport {
    /// As given.
    pub file: PathBuf,
    /// In bytes.
    pub size: u64,
    /// One part for each ability.
    pub record: Json,
    /// Number of reads.
    pub reads: usize,
    /// Bytes read.
    pub bytes_read: u64,
    /// The reads in order, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<Read>>,
    /// Whether every ability returned a result.
    pub ok: bool,
}

impl RunReport {
    /// Whether every file gave a result.
    pub fn passed(&self) -> bool {
        self.files.iter().all(|file| file.ok)
    }
}

/// Runs the plugin over the files.
///
/// # Errors
/// The plugin cannot be loaded, a file cannot be opened, or the plugin does not read files of its name.
pub fn run(
    options: &HostOptions,
    plugin: &Path,
    media: &[PathBuf],
    traces_reads: bool,
) -> Result<RunReport, KitError> {
    let sandbox = Sandbox::load(options, plugin, Isolation::Worker)?;
    let manifest = sandbox.manifest();
    let mut reader = sandbox.reader();
    let mut files = Vec::with_capacity(media.len());
    for path in media {
        let root = path.parent().unwrap_or(Path::new(""));
        let media = Media::open(path, root, manifest)?;
        if !sandbox.reads(&media.name) {
            return Err(KitError::Argument {
                what: format!(
                    "the plugin `{}` reads no files named like {}",
                    manifest.id,
                    path.display()
                ),
                next: "add the extension to `extensions` in plugin.toml, or name another file".to_owned(),
            });
        }
        let recorded = Recorded::new(Arc::clone(&media.bytes));
        let record = reader.read(&media.source_of(recorded.clone(), media.size));
        let reads = recorded.reads();
        files.push(FileReport {
            file: path.clone(),
            size: media.size,
            record: record.to_json(),
            reads: reads.len(),
            bytes_read: reads.iter().map(|read| read.returned).sum(),
            trace: traces_reads.then_some(reads),
            ok: record.failures().is_empty(),
        });
    }
    Ok(RunReport {
        id: manifest.id.clone(),
        version: manifest.version.clone(),
        files,
    })
}

impl fmt::Display for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, file) in self.files.iter().enumerate() {
            if number > 0 {
                writeln!(f)?;
            }
            writeln!(
                f,
                "{} ({}), read by {} {}: {} reads, {}",
                text::printable(&file.file.display().to_string()),
                text::bytes(file.size),
                self.id,
                self.version,
                file.reads,
                text::bytes(file.bytes_read),
            )?;
            write!(f, "{:#}", file.record)?;
            for read in file.trace.iter().flatten() {
                write!(f, "\n  {:>12} +{:<8} {}", read.offset, read.length, read.returned)?;
            }
        }
        Ok(())
    }
}
