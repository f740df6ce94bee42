//! The interface `svc:plugin` as text, which the program carries, and the `wit` folder of a project.

use std::fs;
use std::path::Path;

use svc_plugin_host::INTERFACE_VERSION;
use wit_parser_host::{PackageId, Resolve, WorldId};

use crate::error::KitError;

/// The world of a project's own `wit` folder.
pub(crate) const WORLD: &str = "plugin";
/// Where a project keeps the interface, below its `wit` folder: tools of all languages look there.
pub(crate) const DEPENDENCY: &str = "deps/svc-plugin";

/// The files of the current interface.
pub(crate) const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/wit_files.rs"));

/// The interface's version as manifests state it: major and minor.
pub(crate) fn manifest_version() -> &'static str {
    INTERFACE_VERSION
        .rsplit_once('.')
        .map_or(INTERFACE_VERSION, |(minor, _)| minor)
}

/// Writes the interface into a project's `wit` folder.
pub(crate) fn write_interface(folder: &Path) -> Result<(), KitError> {
    let dependency = folder.join(DEPENDENCY);
    fs::create_dir_all(&dependency).map_err(KitError::file(&dependency))?;
    for (name, text) in FILES {
        let path = dependency.join(name);
        fs::write(&path, text).map_err(KitError::file(&path))?;
    }
    Ok(())
}

/// Reads a `wit` folder and its world.
pub(crate) fn resolve(folder: &Path, world: &str) -> Result<(Resolve, PackageId, WorldId), KitError> {
    let problem = |error: anyhow::Error| KitError::Module {
        reason: format!("{}: {error:#}", folder.display()),
        next: format!(
            "correct the WIT; the folder needs a world `{world}`, and the interface in `{DEPENDENCY}`"
        ),
    };
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_dir(folder).map_err(problem)?;
    let world = resolve.select_world(&[package], Some(world)).map_err(problem)?;
    Ok((resolve, package, world))
}
