//! `verify`: checks the database for corruption and compares the index with the disk. It changes nothing.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::jobs::work::{JobWork, Progress};
use svc_domain::id::FileId;
use svc_identity::error::{Result, ServiceError};
use svc_platform::media_root::MediaRoot;
use svc_store::{Database, FileRepository, KnownFile, StoreError};

/// Files per step; the job can be paused between steps.
const FILES: u32 = 128;
/// Maximum of findings in the result; the counts are complete.
const FINDINGS: usize = 100;

/// The work of the job type.
#[derive(Debug)]
pub(super) struct Verify {
    database: Database,
    files: FileRepository,
}

/// A problem of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Finding {
    /// Does not exist.
    Missing,
    /// Size or modification time differ.
    Changed,
    /// It cannot be opened.
    Unreadable,
    /// Its media directory is unavailable.
    Unavailable,
}

/// A file with a problem.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FileFinding {
    file_id: FileId,
    media_kind: String,
    path: String,
    finding: Finding,
}

/// The job's result.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Report {
    /// `ok` or `damaged`.
    database: Option<String>,
    missing: u64,
    changed: u64,
    unreadable: u64,
    unavailable: u64,
    findings: Vec<FileFinding>,
}

impl Report {
    fn add(&mut self, file: &KnownFile, finding: Finding) {
        match finding {
            Finding::Missing => self.missing += 1,
            Finding::Changed => self.changed += 1,
            Finding::Unreadable => self.unreadable += 1,
            Finding::Unavailable => self.unavailable += 1,
        }
        if self.findings.len() < FINDINGS {
            self.findings.push(FileFinding {
                file_id: file.id,
                media_kind: file.kind.clone(),
                path: file.path.as_str().to_owned(),
                finding,
            });
        }
    }
}

/// Opens each root once.
#[derive(Default)]
struct Roots(HashMap<PathBuf, Option<MediaRoot>>);

impl Roots {
    fn check_file(&mut self, file: &KnownFile) -> Option<Finding> {
        let root = self
            .0
            .entry(file.root.clone())
            .or_insert_with(|| MediaRoot::open(&file.root).ok());
        let Some(root) = root else {
            return Some(Finding::Unavailable);
        };
        match root.open_file(&file.path) {
            Ok(opened) => {
                let same = i64::try_from(opened.size) == Ok(file.size) && opened.mtime_ns == file.mtime_ns;
                (!same).then_some(Finding::Changed)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Some(Finding::Missing),
            Err(_) => Some(Finding::Unreadable),
        }
    }
}

impl Verify {
    pub(super) fn new(database: Database, files: FileRepository) -> Self {
        Self { database, files }
    }

    async fn check_database(&self) -> Result<String> {
        match self.database.check_integrity().await {
            Ok(()) => Ok("ok".to_owned()),
            Err(error @ StoreError::Corrupt(_)) => {
                tracing::error!(target: "svc::jobs", %error, "the database is damaged");
                Ok("damaged".to_owned())
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn verify(&self, progress: &Progress) -> Result<()> {
        let mut report: Report = serde_json::from_value(progress.get().result).unwrap_or_default();
        if report.database.is_none() {
            report.database = Some(self.check_database().await?);
        }
        let total = i64::try_from(self.files.count_known_files().await?).ok();
        progress.update(|progress| progress.total = total);
        loop {
            let after = FileId::from(progress.get().cursor);
            let files = self.files.known_files(after, FILES).await?;
            let last = files.last().map(|file| file.id.get());
            let looked = tokio::task::spawn_blocking(move || {
                let mut roots = Roots::default();
                let looked = files.into_iter().map(|file| (roots.check_file(&file), file));
                looked.collect::<Vec<_>>()
            });
            let looked = looked.await.map_err(ServiceError::internal)?;
            let (count, mut failed) = (looked.len(), 0);
            for (finding, file) in looked {
                if let Some(finding) = finding {
                    failed += 1;
                    report.add(&file, finding);
                }
            }
            let result = serde_json::to_value(&report).map_err(ServiceError::internal)?;
            progress.update(|progress| {
                progress.result = result;
                progress.cursor = last.unwrap_or(progress.cursor);
                progress.completed += i64::try_from(count).unwrap_or_default();
                progress.failed += failed;
            });
            if last.is_none() {
                return Ok(());
            }
        }
    }
}

impl JobWork for Verify {
    fn run<'a>(&'a self, _parameters: &'a Value, progress: &'a Progress) -> BoxFuture<'a, Result<()>> {
        self.verify(progress).boxed()
    }
}
