//! What is checked of a component before it is compiled: its size, its manifest, and what it imports and exports.

use std::collections::BTreeSet;

use crate::inspect::{Inspection, inspect};
use crate::interface;
use crate::interface::{InterfaceVersion, OFFERED, OFFERED_TO_CLOUD, PACKAGE};
use crate::limits;
use crate::manifest::Manifest;
use crate::served::Served;
use crate::status::PluginState;

/// What a plugin is for, which says what it may import and where it is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum World {
    /// It reads media files.
    Media,
    /// World `cloud-client`: it vouches for accounts.
    Cloud,
}

impl World {
    fn offered(self) -> &'static [&'static str] {
        match self {
            Self::Media => &OFFERED,
            Self::Cloud => &OFFERED_TO_CLOUD,
        }
    }
}

/// Manifest, imports and exports of a component.
pub(super) struct Outline {
    pub(super) manifest: Manifest,
    /// The version of the interface that it is built for.
    pub(super) version: InterfaceVersion,
    /// Full names such as `svc:plugin/source@0.1.0`.
    pub(super) imports: BTreeSet<String>,
    /// As `imports`.
    pub(super) exports: BTreeSet<String>,
}

/// Why a plugin was not loaded.
pub(super) struct Rejection {
    /// The manifest, if it could be read.
    pub(super) manifest: Option<Box<Manifest>>,
    pub(super) state: PluginState,
}

/// Reads the outline of a component that is built for one of these versions of the interface.
pub(super) fn outline(bytes: &[u8], served: Served) -> Result<Outline, Rejection> {
    let unread = |state| Rejection {
        manifest: None,
        state,
    };
    if bytes.len() as u64 > limits::COMPONENT_BYTES {
        return Err(unread(failed(format!(
            "it has {} bytes, at most {} are allowed",
            bytes.len(),
            limits::COMPONENT_BYTES
        ))));
    }
    let Inspection {
        manifest,
        imports,
        exports,
    } = inspect(bytes).map_err(|error| unread(failed(error.to_string())))?;
    check_names(served, &imports, &exports).map_err(unread)?;
    let manifest = Manifest::parse(manifest).map_err(|error| unread(failed(error.to_string())))?;
    match version_of(&manifest, served, imports.iter().chain(&exports)) {
        Ok(version) => Ok(Outline {
            manifest,
            version,
            imports,
            exports,
        }),
        Err(state) => Err(Rejection {
            manifest: Some(Box::new(manifest)),
            state,
        }),
    }
}

/// A plugin for accounts is not loaded among those for files, nor the other way round.
pub(super) fn check_world(manifest: &Manifest, world: World) -> Result<(), PluginState> {
    match (world, manifest.cloud) {
        (World::Media, true) => Err(failed(
            "it is a plugin for accounts (`[cloud]` in its manifest), which reads no files: name its file with the \
             server's option `cloud-plugin`",
        )),
        (World::Cloud, false) => Err(failed(
            "it is not a plugin for accounts (its manifest has no `[cloud]`): one that reads files belongs in the \
             directory of the server's option `plugin-dir`",
        )),
        _ => Ok(()),
    }
}

/// The state of a plugin that cannot be used.
pub(super) fn failed(reason: impl Into<String>) -> PluginState {
    PluginState::Failed {
        reason: reason.into(),
    }
}

/// Imports and exports have to be of a version that is served.
fn check_names(
    served: Served,
    imports: &BTreeSet<String>,
    exports: &BTreeSet<String>,
) -> Result<(), PluginState> {
    let used = imports.iter().chain(exports);
    let versions = used
        .filter_map(|name| interface::split(name))
        .map(|(_, version)| version);
    let other = versions
        .filter(|version| !version.is_empty())
        .find(|version| !served.has(version));
    other.map_or(Ok(()), |version| Err(incompatible(served, version)))
}

/// The version that the manifest names, which has to be served and that of all imports and exports.
fn version_of<'a>(
    manifest: &Manifest,
    served: Served,
    mut names: impl Iterator<Item = &'a String>,
) -> Result<InterfaceVersion, PluginState> {
    let wanted = &manifest.interface;
    let version = served
        .of_manifest(wanted)
        .ok_or_else(|| incompatible(served, wanted))?;
    let other = names.find(|name| interface::split(name).is_some_and(|(_, found)| found != version.0));
    other.map_or(Ok(version), |name| {
        Err(failed(format!(
            "its manifest says `interface = \"{wanted}\"`, but it uses `{name}`: build it for one version of the interface"
        )))
    })
}

fn incompatible(served: Served, wanted: &str) -> PluginState {
    PluginState::Incompatible {
        reason: served.lacks(wanted),
    }
}

/// Each ability in the manifest has to be exported, and each exported ability has to have its files in the manifest;
/// otherwise the plugin would never be called.
pub(super) fn check_exports(
    manifest: &Manifest,
    version: InterfaceVersion,
    exports: &BTreeSet<String>,
) -> Result<(), PluginState> {
    let abilities = [
        ("extractor", "[[kinds]]", !manifest.kinds.is_empty()),
        ("thumbnailer", "[thumbnailer]", manifest.thumbnailer.is_some()),
        ("waveform", "[waveform]", manifest.waveform.is_some()),
        ("cloud", "[cloud]", manifest.cloud),
    ];
    for (ability, table, is_promised) in abilities {
        let name = version.name_of(ability);
        match (is_promised, exports.contains(&name)) {
            (true, false) => return Err(failed(format!("it does not export `{name}`"))),
            (false, true) => {
                return Err(failed(format!(
                    "it exports `{name}`, but its manifest has no `{table}`"
                )));
            }
            _ => {}
        }
    }
    let pages = version.name_of("pages");
    if exports.contains(&pages) && manifest.kinds.is_empty() {
        return Err(failed(format!(
            "it exports `{pages}`, but its manifest has no `[[kinds]]` whose files have pages"
        )));
    }
    Ok(())
}

/// Why an import is rejected, with what to do about it.
fn not_offered(import: &str, world: World) -> String {
    let offered = world.offered().join("`, `");
    if import.starts_with("wasi:") {
        format!(
            "it imports `{import}`, and plugins have no access to WASI. Rust: build for wasm32-unknown-unknown instead of \
             wasm32-wasip2 and make the component with `svc plugin build`; Python: componentize-py with `--stub-wasi`; \
             JavaScript: jco componentize with `--disable all`"
        )
    } else {
        format!(
            "it imports `{import}`, which this server does not offer to plugins: there are `{offered}` of {PACKAGE}"
        )
    }
}

/// The plugin may import the offered interfaces that its manifest has permissions for.
pub(super) fn check_imports(
    manifest: &Manifest,
    imports: &BTreeSet<String>,
    world: World,
) -> Result<(), PluginState> {
    for import in imports {
        match interface::split(import) {
            Some(("types", _)) => {}
            Some((short, _)) if world.offered().contains(&short) => {
                if !manifest.permissions.contains_key(short) {
                    let problem = format!(
                        "it imports `{import}`, but its manifest has no permission `{short}`: add `{short} = \"(the reason)\"` to `[permissions]`"
                    );
                    return Err(failed(problem));
                }
            }
            _ => return Err(failed(not_offered(import, world))),
        }
    }
    Ok(())
}
