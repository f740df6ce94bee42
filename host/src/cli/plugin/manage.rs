//! `svc plugin install`, `grant`, `preview` and the other verbs for the plugins of a running server.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use svc_plugin_kit::KitError;
use svc_plugin_kit::dev::{Report, Watched, dev};
use svc_plugin_kit::language::Language;
use svc_plugin_kit::managed::ManagedPlugin;
use svc_plugin_kit::project::component_and_fixtures;
use svc_plugin_kit::server::Server;
use url::Url;

use super::Output;

/// The server, and the credential for it.
#[derive(Debug, Args)]
pub(super) struct Remote {
    /// URL of the server
    #[arg(
        long,
        env = "SVC_SERVER",
        value_name = "URL",
        default_value = "http://127.0.0.1:8420"
    )]
    server: Url,
    #[command(flatten)]
    credential: Credential,
}

/// A personal access token.
#[derive(Debug, Args)]
pub(super) struct Credential {
    /// File with a personal access token whose account may operate plugins
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// The token itself, which other users of this machine can read in the list of processes
    #[arg(long, env = "SVC_TOKEN", hide_env_values = true, value_name = "TOKEN")]
    token: Option<String>,
}

impl Remote {
    fn open(&self) -> Result<Server, KitError> {
        self.credential.connect(&self.server)
    }
}

impl Credential {
    /// The server at a URL; a token in a file comes before another.
    pub(super) fn connect(&self, server: &Url) -> Result<Server, KitError> {
        let token = match &self.token_file {
            Some(file) => Some(std::fs::read_to_string(file).map_err(KitError::file(file))?),
            None => self.token.clone(),
        };
        let token = token.map(|token| token.trim().to_owned());
        Ok(Server::new(server.as_str(), token))
    }
}

/// Options of `svc plugin install`.
#[derive(Debug, Args)]
pub(super) struct Install {
    /// The plugin: its file, or its folder after `svc plugin build`. A signature beside the file is sent with it
    #[arg(value_name = "FILE")]
    plugin: PathBuf,
    /// Grant everything that it asks for
    #[arg(long)]
    grant_all: bool,
    /// Keep a new version waiting, to preview it
    #[arg(long, conflicts_with = "grant_all")]
    hold: bool,
    #[command(flatten)]
    remote: Remote,
}

impl Install {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        let server = self.remote.open()?;
        let (component, _) = component_and_fixtures(&self.plugin)?;
        let (mut plugin, digest) = server.upload(&component, self.hold)?;
        if self.grant_all {
            plugin = server.grant_all(&plugin.plugin_id, Some(&digest))?;
        }
        output.report(&plugin, true)
    }
}

/// Options of `svc plugin grant`.
#[derive(Debug, Args)]
pub(super) struct Grant {
    /// The version that is meant, by the SHA-256 that a preview shows: the command fails if another waits by now
    #[arg(long, value_name = "SHA256")]
    digest: Option<String>,
    #[command(flatten)]
    grants: Grants,
}

/// Permissions of a plugin.
#[derive(Debug, Args)]
pub(super) struct Grants {
    /// Id of the plugin
    id: String,
    /// Names of permissions
    #[arg(required_unless_present = "all")]
    permissions: Vec<String>,
    /// All that it asks for
    #[arg(long, conflicts_with = "permissions")]
    all: bool,
    #[command(flatten)]
    remote: Remote,
}

impl Grant {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        let (grants, digest) = (&self.grants, self.digest.as_deref());
        let server = grants.remote.open()?;
        let plugin = if grants.all {
            server.grant_all(&grants.id, digest)?
        } else {
            server.grant(&grants.id, &grants.permissions, digest)?
        };
        output.report(&plugin, true)
    }
}

impl Grants {
    pub(super) fn revoke(&self, output: Output) -> anyhow::Result<ExitCode> {
        let permissions = (!self.all).then_some(self.permissions.as_slice());
        output.report(&self.remote.open()?.revoke(&self.id, permissions)?, true)
    }
}

/// Options of `svc plugin set`.
#[derive(Debug, Args)]
pub(super) struct Set {
    /// Id of the plugin
    id: String,
    /// Settings as KEY=VALUE; without a value, the default is restored
    #[arg(required = true, value_name = "KEY=VALUE")]
    settings: Vec<String>,
    #[command(flatten)]
    remote: Remote,
}

impl Set {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        output.report(&self.remote.open()?.set(&self.id, &self.settings)?, true)
    }
}

/// Options of `svc plugin preview`.
#[derive(Debug, Args)]
pub(super) struct Preview {
    /// Id of the plugin
    id: String,
    /// Files to read, at most 200
    #[arg(long, value_name = "NUMBER", default_value_t = 40)]
    files: u32,
    #[command(flatten)]
    remote: Remote,
}

impl Preview {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        output.report(&self.remote.open()?.preview(&self.id, self.files)?, true)
    }
}

/// Options of the verbs for one plugin of a server.
#[derive(Debug, Args)]
pub(super) struct One {
    /// Id of the plugin
    id: String,
    #[command(flatten)]
    remote: Remote,
}

impl One {
    pub(super) fn enable(&self, output: Output, is_enabled: bool) -> anyhow::Result<ExitCode> {
        self.done(output, |server| {
            server.update(&self.id, &json!({ "enabled": is_enabled }))
        })
    }

    pub(super) fn release(&self, output: Output) -> anyhow::Result<ExitCode> {
        self.done(output, |server| {
            server.update(&self.id, &json!({ "action": "release" }))
        })
    }

    pub(super) fn roll_back(&self, output: Output) -> anyhow::Result<ExitCode> {
        self.done(output, |server| server.roll_back(&self.id))
    }

    pub(super) fn discard(&self, output: Output) -> anyhow::Result<ExitCode> {
        self.done(output, |server| server.discard(&self.id))
    }

    pub(super) fn remove(&self, output: Output) -> anyhow::Result<ExitCode> {
        self.remote.open()?.remove(&self.id)?;
        output.line(&json!({ "removed": self.id }), &format!("{} is removed", self.id))
    }

    fn done(
        &self,
        output: Output,
        act: impl FnOnce(&Server) -> Result<ManagedPlugin, KitError>,
    ) -> anyhow::Result<ExitCode> {
        output.report(&act(&self.remote.open()?)?, true)
    }
}

/// Options of `svc plugin purge`.
#[derive(Debug, Args)]
pub(super) struct Purge {
    /// The kind, such as `comics`. Its plugin has to be removed, disabled or quarantined
    #[arg(value_name = "KIND")]
    kind: String,
    /// Do not ask first
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    remote: Remote,
}

impl Purge {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        let server = self.remote.open()?;
        if !self.yes {
            self.confirm(&server.purge_question(&self.kind).to_string())?;
        }
        let report = server.purge(&self.kind)?;
        let passed = report.is_completed();
        output.report(&report, passed)
    }

    /// Asks on a terminal.
    fn confirm(&self, question: &str) -> anyhow::Result<()> {
        let refused = |what: String| KitError::Argument {
            what,
            next: format!("`svc plugin purge {} --yes` does not ask", self.kind),
        };
        let (input, mut shown) = (io::stdin(), io::stderr());
        if !input.is_terminal() || !shown.is_terminal() {
            return Err(refused(format!("{question}; nobody can be asked here")).into());
        }
        write!(shown, "{question}\nType {} to delete them: ", self.kind)?;
        shown.flush()?;
        let mut answer = String::new();
        input.read_line(&mut answer)?;
        if answer.trim() == self.kind {
            Ok(())
        } else {
            Err(refused("nothing is deleted".to_owned()).into())
        }
    }
}

/// Options of `svc plugin dev`.
#[derive(Debug, Args)]
pub(super) struct Dev {
    /// The plugin's folder, or a component that another tool builds
    #[arg(default_value = ".", value_name = "PLUGIN")]
    plugin: PathBuf,
    /// rust, python, js or c, if the files of the folder do not tell
    #[arg(long, value_name = "LANGUAGE")]
    lang: Option<Language>,
    #[command(flatten)]
    remote: Remote,
}

impl Dev {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        let server = self.remote.open()?;
        let mut outcome = Ok(ExitCode::SUCCESS);
        let watched = if self.plugin.is_file() {
            Watched::Component(&self.plugin)
        } else {
            Watched::Folder(&self.plugin, self.lang)
        };
        dev(&server, watched, |report| {
            outcome = match report {
                Ok(Report::News(news)) => output.line(&json!(news), &news.to_string()),
                Ok(Report::Swap(swap)) => {
                    let (swap_ms, plugin) = (swap.swap_ms, &swap.plugin);
                    let built = swap.build_ms.map(|time| format!("built in {time} ms, "));
                    let built = built.unwrap_or_default();
                    output.line(
                        &json!(swap),
                        &format!("{built}in use after {swap_ms} ms\n{plugin}"),
                    )
                }
                Err(error) => output.error(&error),
            };
            outcome.is_ok()
        })?;
        outcome
    }
}
