//! `svc plugin new`, `build`, `check`, `test`, `bench`, `run`, `inspect`, `repro`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use svc_domain::kind::MediaKind;
use svc_plugin_kit::KitError;
use svc_plugin_kit::bench::{bench, parse_time};
use svc_plugin_kit::build::{build_folder, build_module};
use svc_plugin_kit::check::check;
use svc_plugin_kit::conformance::test;
use svc_plugin_kit::golden::media_files;
use svc_plugin_kit::inspect::inspect;
use svc_plugin_kit::language::Language;
use svc_plugin_kit::project::component_and_fixtures;
use svc_plugin_kit::repro::repro;
use svc_plugin_kit::run::run;
use svc_plugin_kit::sandbox::HostOptions;
use svc_plugin_kit::template::{NewPlugin, create};

use super::Output;
use crate::app::inspection_host;

/// Options of `svc plugin new`.
#[derive(Debug, Args)]
pub(super) struct New {
    /// The folder to make; its name becomes the plugin's id
    folder: PathBuf,
    /// rust, python, js or c
    #[arg(long, value_name = "LANGUAGE")]
    lang: Language,
    /// The kind of media that it reads: music, photos, movies, tv, or a new kind
    #[arg(long, value_name = "KIND")]
    kind: MediaKind,
    /// The extension of its files
    #[arg(long, value_name = "EXTENSION", default_value = "note")]
    extension: String,
    /// For Rust: the folder `plugin-api` of a whole checkout, instead of the SDK on crates.io
    #[arg(long, value_name = "DIR")]
    sdk: Option<PathBuf>,
}

impl New {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        let sdk = self.sdk.as_deref().map(absolute).transpose()?;
        let created = create(&NewPlugin {
            folder: &self.folder,
            language: self.lang,
            kind: &self.kind,
            extension: &self.extension,
            sdk: sdk.as_deref(),
        })?;
        output.report(&created, true)
    }
}

fn absolute(path: &Path) -> Result<PathBuf, KitError> {
    path.canonicalize().map_err(KitError::file(path))
}

/// Options of `svc plugin build`.
#[derive(Debug, Args)]
pub(super) struct Build {
    /// The plugin's folder
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    /// rust, python, js or c, if the files of the folder do not tell
    #[arg(long, value_name = "LANGUAGE")]
    lang: Option<Language>,
    /// Where to write the plugin, instead of DIR/dist/<id>.wasm
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Make a plugin of a module or component of any other compiler
    #[arg(long, value_name = "FILE", requires = "manifest", requires = "output", conflicts_with_all = ["folder", "lang"])]
    module: Option<PathBuf>,
    /// With --module: the manifest to embed
    #[arg(long, value_name = "FILE", requires = "module")]
    manifest: Option<PathBuf>,
    /// With --module: the folder with the world `plugin`, if the module does not carry its own
    #[arg(long, value_name = "DIR", requires = "module")]
    wit: Option<PathBuf>,
}

impl Build {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        let built = match (&self.module, &self.manifest, &self.output) {
            (Some(module), Some(manifest), Some(file)) => {
                build_module(module, manifest, self.wit.as_deref(), file)?
            }
            _ => build_folder(&self.folder, self.lang, self.output.as_deref())?,
        };
        output.report(&built, true)
    }
}

/// Options of `svc plugin repro`.
#[derive(Debug, Args)]
pub(super) struct Repro {
    /// The plugin's folder
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    /// rust, python, js or c, if the files of the folder do not tell
    #[arg(long, value_name = "LANGUAGE")]
    lang: Option<Language>,
    /// Compare with this file instead of a second build
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
}

impl Repro {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        let compared = repro(&self.folder, self.lang, self.against.as_deref())?;
        output.report(&compared, compared.is_equal())
    }
}

/// Where the plugins are whose kinds a plugin adds extensions to.
#[derive(Debug, Args)]
struct Others {
    /// Directory with the plugin that defines the kind, if the plugin only adds extensions to it
    #[arg(long, value_name = "DIR")]
    plugin_dir: Option<PathBuf>,
}

impl Others {
    fn host(&self) -> anyhow::Result<HostOptions> {
        let mut options = inspection_host()?;
        options.settings.plugin_dir.clone_from(&self.plugin_dir);
        Ok(options)
    }
}

/// Options of `svc plugin check`.
#[derive(Debug, Args)]
pub(super) struct Check {
    #[command(flatten)]
    plugin: Plugin,
    #[command(flatten)]
    others: Others,
}

impl Check {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        let (component, _) = component_and_fixtures(&self.plugin.plugin)?;
        let report = check(&self.others.host()?, &component)?;
        output.report(&report, report.passed())
    }
}

/// Options of `svc plugin inspect`.
#[derive(Debug, Args)]
pub(super) struct Plugin {
    /// The plugin: its file, or its folder after `svc plugin build`
    #[arg(default_value = ".", value_name = "FILE")]
    plugin: PathBuf,
}

impl Plugin {
    pub(super) fn inspect(&self, output: Output) -> anyhow::Result<ExitCode> {
        let (component, _) = component_and_fixtures(&self.plugin)?;
        output.report(&inspect(&component)?, true)
    }
}

/// Options of `svc plugin test`.
#[derive(Debug, Args)]
pub(super) struct Test {
    /// The plugin: its file, or its folder after `svc plugin build`
    #[arg(default_value = ".", value_name = "FILE")]
    plugin: PathBuf,
    /// The folder of media files with their records, instead of `fixtures` in the plugin's folder
    #[arg(long, value_name = "DIR")]
    fixtures: Option<PathBuf>,
    /// Write the records instead of comparing them
    #[arg(long)]
    bless: bool,
    #[command(flatten)]
    others: Others,
}

impl Test {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        let (component, found) = component_and_fixtures(&self.plugin)?;
        let fixtures = self.fixtures.clone().or(found);
        let report = test(&self.others.host()?, &component, fixtures.as_deref(), self.bless)?;
        output.report(&report, report.passed())
    }
}

/// Options of `svc plugin bench`.
#[derive(Debug, Args)]
pub(super) struct Bench {
    /// The plugin: its file, or its folder after `svc plugin build`
    #[arg(default_value = ".", value_name = "FILE")]
    plugin: PathBuf,
    /// Media files; by default the fixtures of the plugin
    #[arg(value_name = "MEDIA")]
    media: Vec<PathBuf>,
    /// The most time per file with recycled instances, such as 250us or 1.5ms; more of it fails
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    budget: Option<Duration>,
    #[command(flatten)]
    others: Others,
}

impl Bench {
    pub(super) fn run(self, output: Output) -> anyhow::Result<ExitCode> {
        let (component, fixtures) = component_and_fixtures(&self.plugin)?;
        let options = self.others.host()?;
        let media = match fixtures {
            Some(fixtures) if self.media.is_empty() => media_files(&options, &component, &fixtures)?,
            _ => self.media,
        };
        if media.is_empty() {
            let error = KitError::Argument {
                what: "there is nothing to measure with".to_owned(),
                next: "name media files, or put some into `fixtures`".to_owned(),
            };
            return Err(error.into());
        }
        let report = bench(&options, &component, &media, self.budget)?;
        let passed = report.over_budget().next().is_none();
        output.report(&report, passed)
    }
}

/// Options of `svc plugin run`.
#[derive(Debug, Args)]
pub(super) struct Run {
    /// The plugin: its file, or its folder after `svc plugin build`
    #[arg(value_name = "FILE")]
    plugin: PathBuf,
    /// Media files
    #[arg(required = true, value_name = "MEDIA")]
    media: Vec<PathBuf>,
    /// Also list each read: offset, bytes requested, bytes returned
    #[arg(long)]
    trace_reads: bool,
    #[command(flatten)]
    others: Others,
}

impl Run {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        let (component, _) = component_and_fixtures(&self.plugin)?;
        let report = run(&self.others.host()?, &component, &self.media, self.trace_reads)?;
        output.report(&report, report.passed())
    }
}
