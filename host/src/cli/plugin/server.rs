//! `svc plugin list` and `doctor`: the plugins of a server, examined without it or, for the list, over its API.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use svc_platform::data_dir::DataDir;
use svc_plugin_kit::doctor::{Diagnosis, list};
use svc_plugin_kit::finding::Status;
use url::Url;

use super::Output;
use super::manage::Credential;
use crate::app::load_plugins_for_inspection;

/// Options of `svc plugin doctor`.
#[derive(Debug, Args)]
pub(super) struct Server {
    /// The server's directory of plugins (`*.wasm`)
    #[arg(long, env = "SVC_PLUGIN_DIR", value_name = "DIR")]
    plugin_dir: Option<PathBuf>,
    /// The server's data directory
    #[arg(long, env = "SVC_DATA_DIR", value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

/// Options of `svc plugin list`.
#[derive(Debug, Args)]
pub(super) struct List {
    /// Ask this running server, instead of looking at a directory of plugins
    #[arg(long, value_name = "URL", conflicts_with = "plugin_dir")]
    server: Option<Url>,
    #[command(flatten)]
    credential: Credential,
    /// The server's directory of plugins (`*.wasm`)
    #[arg(long, env = "SVC_PLUGIN_DIR", value_name = "DIR")]
    plugin_dir: Option<PathBuf>,
}

impl List {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        if let Some(server) = &self.server {
            let server = self.credential.connect(server)?;
            return output.report(&server.plugins()?, true);
        }
        let plugins = load_plugins_for_inspection(self.plugin_dir.as_deref())?;
        output.report(&list(&plugins), true)
    }
}

impl Server {
    pub(super) fn doctor(&self, output: Output) -> anyhow::Result<ExitCode> {
        let mut diagnosis = Diagnosis::default();
        if let Some(data_dir) = &self.data_dir {
            let shown = data_dir.display().to_string();
            if DataDir::holds_installation(data_dir) {
                diagnosis.add("data directory", Status::Passed, shown, None);
            } else {
                let detail = format!("{shown} is not the data directory of a server");
                let next = "name the directory that `svc serve --data-dir` was given";
                diagnosis.add("data directory", Status::Failed, detail, Some(next));
            }
        }
        diagnosis.examine_directory(self.plugin_dir.as_deref());
        if diagnosis.passed() {
            let plugins = load_plugins_for_inspection(self.plugin_dir.as_deref())?;
            diagnosis.examine_plugins(&plugins);
        }
        output.report(&diagnosis, diagnosis.passed())
    }
}
