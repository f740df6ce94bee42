//! `svc plugin test`: golden files, and the conformance tests, which hold for every plugin and every file.
//!
//! A conformance test gives the plugin damaged, failing or unusual sources made of the fixtures. Errors of the file
//! are fine; a trap, a limit that is reached, output that violates the contract, or a result that depends on anything
//! but the file is not.

mod damage;
mod state;
mod storage;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use svc_plugin_host::{Isolation, SourceFile};

use crate::coverage;
use crate::error::KitError;
use crate::finding::{Check, Status};
use crate::golden::{self, Golden, GoldenStatus};
use crate::media::Media;
use crate::record::{Record, SUSPENDED};
use crate::sandbox::{HostOptions, Reader, Sandbox};

/// Failures of one test that are listed.
const MAX_FAILURES: usize = 10;

/// The result of all tests of a plugin.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TestReport {
    /// Id of the plugin.
    pub id: String,
    /// Version of the plugin.
    pub version: String,
    /// The comparison with golden files.
    pub golden: Vec<Golden>,
    /// What the fixtures leave untested, and what the server drops of their records.
    pub findings: Vec<Check>,
    /// The conformance tests.
    pub conformance: Vec<Conformance>,
}

/// The result of one conformance test.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Conformance {
    /// Name of the test.
    pub test: &'static str,
    /// Result.
    pub status: TestStatus,
    /// Number of sources that were tried.
    pub cases: usize,
    /// What went wrong, with the source.
    pub failures: Vec<String>,
    /// Why cases were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
}

/// The result of a conformance test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestStatus {
    /// No case failed.
    Passed,
    /// A case failed.
    Failed,
    /// No case failed, but the host stopped calling the plugin before all were tried.
    NotRun,
}

impl TestReport {
    /// Whether everything was tried, and nothing failed.
    pub fn passed(&self) -> bool {
        let mut golden = self.golden.iter().map(|golden| golden.status);
        let mut findings = self.findings.iter().map(|finding| finding.status);
        let mut tests = self.conformance.iter().map(|test| test.status);
        golden.all(|status| status != GoldenStatus::Failed)
            && findings.all(|status| status != Status::Failed)
            && tests.all(|status| status == TestStatus::Passed)
    }
}

/// Compares the fixtures with their golden files (or writes those) and runs the conformance tests with them. Without
/// fixtures the conformance tests use small made-up files only.
///
/// # Errors
/// The plugin cannot be loaded, or a fixture not be read.
pub fn test(
    options: &HostOptions,
    plugin: &Path,
    fixtures: Option<&Path>,
    blesses: bool,
) -> Result<TestReport, KitError> {
    let sandbox = Sandbox::load(options, plugin, Isolation::Worker)?;
    let manifest = sandbox.manifest();
    let folder = fixtures.filter(|folder| folder.is_dir());
    let media = folder
        .map(|folder| golden::fixtures(&sandbox, folder))
        .transpose()?
        .unwrap_or_default();
    let golden = match folder {
        Some(folder) => golden::compare(&sandbox, folder, &media, blesses)?,
        None => Vec::new(),
    };
    Ok(TestReport {
        id: manifest.id.clone(),
        version: manifest.version.clone(),
        findings: coverage::findings(manifest, &golden),
        golden,
        conformance: conform(
            &sandbox,
            &Sandbox::load(&tight(options), plugin, Isolation::Worker)?,
            media,
        ),
    })
}

/// The conformance tests that take no fixture: for `svc plugin check`.
pub(crate) fn quick(sandbox: &Sandbox) -> Vec<Conformance> {
    let media = made_up(sandbox);
    vec![
        damage::empty(sandbox, &media),
        damage::content(sandbox, &media),
        state::determinism(sandbox, &media),
    ]
}

/// The same host, which lets a plugin read a single byte of each file.
fn tight(options: &HostOptions) -> HostOptions {
    let mut options = options.clone();
    let caps = &mut options.settings.caps;
    for caps in [
        &mut caps.extract,
        &mut caps.pages,
        &mut caps.render,
        &mut caps.analyze,
    ] {
        caps.max_read_bytes = 1;
    }
    options
}

fn conform(sandbox: &Sandbox, tight: &Sandbox, mut media: Vec<Media>) -> Vec<Conformance> {
    let made_up = made_up(sandbox);
    let empty = damage::empty(sandbox, &made_up);
    let content = damage::content(sandbox, &made_up);
    media.extend(made_up);
    vec![
        empty,
        content,
        damage::truncated(sandbox, &media),
        storage::short_reads(sandbox, &media),
        storage::failing_reads(sandbox, &media),
        damage::sparse(sandbox, &media),
        state::determinism(sandbox, &media),
        state::leaks(sandbox, &media),
        storage::read_limit(tight, &media),
        state::concurrency(sandbox, &media),
    ]
}

/// Files with the plugin's extensions and a content that hardly any format has: zeros, and numbers that look random.
fn made_up(sandbox: &Sandbox) -> Vec<Media> {
    const BYTES: usize = 100_000;
    let manifest = sandbox.manifest();
    let kinds = manifest.kinds.iter().flat_map(|kind| kind.extensions.first());
    let files = manifest.thumbnailer.iter().chain(&manifest.waveform);
    let others = files.flat_map(|files| files.extensions.first());
    let mut noise = 0x2545_f491_4f6c_dd1d_u64;
    let random: Vec<u8> = (0..BYTES)
        .map(|_| {
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            noise as u8
        })
        .collect();
    let mut made = Vec::new();
    for extension in kinds.chain(others) {
        made.push(Media::in_memory(&format!("zeros.{extension}"), vec![0; BYTES]));
        made.push(Media::in_memory(&format!("random.{extension}"), random.clone()));
    }
    made
}

/// Collects the cases of one test.
struct Cases<'a> {
    sandbox: &'a Sandbox,
    reader: Reader,
    result: Conformance,
    /// Set when the host no longer calls the plugin.
    stopped: bool,
}

impl<'a> Cases<'a> {
    fn new(sandbox: &'a Sandbox, test: &'static str) -> Self {
        Self {
            reader: sandbox.reader(),
            sandbox,
            result: Conformance {
                test,
                status: TestStatus::Passed,
                cases: 0,
                failures: Vec::new(),
                left_out: None,
            },
            stopped: false,
        }
    }

    /// Reads one source. `None` if the plugin is no longer called.
    fn read(&mut self, source: &Arc<SourceFile>) -> Option<Record> {
        if self.stopped {
            return None;
        }
        let record = self.reader.read(source);
        if record.is_suspended() {
            self.stopped = true;
            self.left_out(SUSPENDED);
            return None;
        }
        self.result.cases += 1;
        Some(record)
    }

    /// Reads one source, which must not reveal a fault of the plugin.
    fn read_without_fault(&mut self, source: &Arc<SourceFile>, what: &str) -> Option<Record> {
        let record = self.read(source)?;
        if let Some(fault) = record.fault() {
            self.fail(format!("{what}: {fault}"));
        }
        Some(record)
    }

    fn fail(&mut self, problem: String) {
        if self.result.failures.len() < MAX_FAILURES {
            self.result.failures.push(problem);
        } else {
            self.left_out("more failures are not listed");
        }
    }

    fn left_out(&mut self, why: &str) {
        self.result.left_out.get_or_insert_with(|| why.to_owned());
    }

    /// Replaces the instance by a new one.
    fn restart(&mut self) {
        self.reader = self.sandbox.reader();
    }

    fn finish(mut self) -> Conformance {
        self.result.status = if !self.result.failures.is_empty() {
            TestStatus::Failed
        } else if self.stopped {
            TestStatus::NotRun
        } else {
            TestStatus::Passed
        };
        self.result
    }
}

impl fmt::Display for TestReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} {}", self.id, self.version)?;
        for golden in &self.golden {
            let status = match golden.status {
                GoldenStatus::Passed => "passed",
                GoldenStatus::Failed => "FAILED",
                GoldenStatus::Missing => "no record yet: `svc plugin test --bless` writes it",
                GoldenStatus::Written => "written",
            };
            writeln!(f, "  record of {}: {status}", golden.fixture.display())?;
            for difference in &golden.differences {
                writeln!(f, "      {difference}")?;
            }
        }
        for finding in &self.findings {
            writeln!(f, "{finding}")?;
        }
        for test in &self.conformance {
            let status = match test.status {
                TestStatus::Passed => "passed",
                TestStatus::Failed => "FAILED",
                TestStatus::NotRun => "not run to its end",
            };
            writeln!(f, "  {}: {status} ({} cases)", test.test, test.cases)?;
            for failure in &test.failures {
                writeln!(f, "      {failure}")?;
            }
            if let Some(why) = &test.left_out {
                writeln!(f, "      left out: {why}")?;
            }
        }
        f.write_str(if self.passed() { "passed" } else { "FAILED" })
    }
}
