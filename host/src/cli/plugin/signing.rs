//! `svc plugin keygen`, `sign`, `verify`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use svc_platform::random::{Random as _, SystemRandom};
use svc_plugin_kit::project::component_and_fixtures;
use svc_plugin_kit::signature::{SEED_BYTES, create_key, sign, verify};

use super::Output;

/// Options of `svc plugin keygen`.
#[derive(Debug, Args)]
pub(super) struct Keygen {
    /// The file to make; it must not exist
    file: PathBuf,
}

impl Keygen {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        let mut seed = [0; SEED_BYTES];
        SystemRandom.fill(&mut seed)?;
        output.report(&create_key(&self.file, &seed)?, true)
    }
}

/// Options of `svc plugin sign`.
#[derive(Debug, Args)]
pub(super) struct Sign {
    /// The plugin: its file, or its folder after `svc plugin build`; the signature is written to FILE.sig
    #[arg(default_value = ".", value_name = "FILE")]
    plugin: PathBuf,
    /// The private key, as `svc plugin keygen` made it
    #[arg(long, value_name = "KEYFILE")]
    key: PathBuf,
}

impl Sign {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        let (component, _) = component_and_fixtures(&self.plugin)?;
        output.report(&sign(&component, &self.key)?, true)
    }
}

/// Options of `svc plugin verify`.
#[derive(Debug, Args)]
pub(super) struct Verify {
    /// The plugin: its file, or its folder after `svc plugin build`; its signature is FILE.sig
    #[arg(default_value = ".", value_name = "FILE")]
    plugin: PathBuf,
    /// The public key that must have signed it; without, any valid signature passes
    #[arg(long, value_name = "PUBLIC_KEY")]
    key: Option<String>,
}

impl Verify {
    pub(super) fn run(&self, output: Output) -> anyhow::Result<ExitCode> {
        let (component, _) = component_and_fixtures(&self.plugin)?;
        let signed = verify(&component, self.key.as_deref())?;
        output.report(&signed, signed.valid)
    }
}
