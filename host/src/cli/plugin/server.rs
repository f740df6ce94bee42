//! `svc plugin list` and `doctor`: the plugins of a server, examined without it or over its API.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use svc_platform::data_dir::DataDir;
use svc_plugin_kit::KitError;
use svc_plugin_kit::doctor::{Diagnosis, list};
use svc_plugin_kit::finding::Status;
use url::Url;

use super::Output;
use super::manage::Credential;
use crate::app::load_plugins_for_inspection;
use crate::config::variable;

/// Options of `svc plugin doctor`.
#[derive(Debug, Args)]
pub(super) struct Server {
    /// Also ask this running server, which knows the uploaded plugins
    #[arg(long, env = "SVC_SERVER", value_name = "URL")]
    server: Option<Url>,
    #[command(flatten)]
    credential: Credential,
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
    /// Ask this running server, instead of looking at a directory of plugins [env: SVC_SERVER]
    #[arg(long, value_name = "URL", conflicts_with = "plugin_dir")]
    server: Option<Url>,
    #[command(flatten)]
    credential: Credential,
    /// The server's directory of plugins (`*.wasm`) [env: SVC_PLUGIN_DIR]
    #[arg(long, value_name = "DIR")]
    plugin_dir: Option<PathBuf>,
}

impl List {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        if let Some(server) = self.server()? {
            let server = self.credential.connect(&server)?;
            return output.report(&server.plugins()?, true);
        }
        let plugin_dir = self.plugin_dir.clone();
        let plugin_dir = plugin_dir.or_else(|| Some(variable("SVC_PLUGIN_DIR")?.into()));
        let plugins = load_plugins_for_inspection(plugin_dir.as_deref())?;
        output.report(&list(&plugins), true)
    }

    /// The server to ask. An option comes before a variable, also before that of the other option.
    fn server(&self) -> Result<Option<Url>, KitError> {
        if self.server.is_some() || self.plugin_dir.is_some() {
            return Ok(self.server.clone());
        }
        let text = variable("SVC_SERVER").map(|text| text.to_string_lossy().into_owned());
        let url = text.map(|text| {
            Url::parse(&text).map_err(|error| KitError::Argument {
                what: format!("SVC_SERVER is not a URL: {error}"),
                next: "set it to a URL such as http://127.0.0.1:8420".to_owned(),
            })
        });
        url.transpose()
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
        let of_server = match &self.server {
            Some(server) => Some(self.credential.connect(server)?.plugins()?),
            None => None,
        };
        diagnosis.examine_server(of_server.as_ref());
        output.report(&diagnosis, diagnosis.passed())
    }
}
