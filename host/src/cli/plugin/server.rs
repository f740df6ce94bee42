//! `svc plugin list` and `doctor`: the plugins of a server, examined without it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use svc_platform::data_dir::DataDir;
use svc_plugin_kit::check::Status;
use svc_plugin_kit::doctor::{Diagnosis, list};

use super::Output;
use crate::app::load_plugins_for_inspection;

/// Options of `svc plugin list` and `doctor`.
#[derive(Debug, Args)]
pub(super) struct Server {
    /// The server's directory of plugins (`*.wasm`)
    #[arg(long, env = "SVC_PLUGIN_DIR", value_name = "DIR")]
    plugin_dir: Option<PathBuf>,
    /// The server's data directory
    #[arg(long, env = "SVC_DATA_DIR", value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

impl Server {
    pub(super) fn list(&self, output: Output) -> anyhow::Result<ExitCode> {
        let plugins = load_plugins_for_inspection(self.plugin_dir.as_deref())?;
        output.report(&list(&plugins), true)
    }

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
