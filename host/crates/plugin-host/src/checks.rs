//! What is checked of a component before it is compiled: its size, its manifest, and what it imports and exports.

use std::collections::BTreeSet;

use crate::bindings::{OFFERED, OFFERED_TO_CLOUD, PACKAGE, VERSION};
use crate::inspect::{Inspection, inspect};
use crate::limits;
use crate::manifest::Manifest;
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

/// Reads the outline of a component that is built for our version of the interface.
pub(super) fn outline(bytes: &[u8]) -> Result<Outline, Rejection> {
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
    check_names(&imports, &exports).map_err(unread)?;
    let manifest = Manifest::parse(manifest).map_err(|error| unread(failed(error.to_string())))?;
    match check_version(&manifest) {
        Ok(()) => Ok(Outline {
            manifest,
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

/// The full name of an interface of this package.
pub(super) fn interface(name: &str) -> String {
    format!("{PACKAGE}/{name}@{VERSION}")
}

/// Splits `package/interface@version`.
fn split_name(name: &str) -> (&str, Option<&str>) {
    name.split_once('@')
        .map_or((name, None), |(name, version)| (name, Some(version)))
}

/// Imports and exports have to use our version of the interface.
fn check_names(imports: &BTreeSet<String>, exports: &BTreeSet<String>) -> Result<(), PluginState> {
    let theirs = imports
        .iter()
        .chain(exports)
        .map(|name| split_name(name))
        .find_map(|(name, version)| {
            let ours = name
                .strip_prefix(PACKAGE)
                .is_some_and(|rest| rest.starts_with('/'));
            version.filter(|version| ours && *version != VERSION)
        });
    theirs.map_or(Ok(()), |version| Err(incompatible(version)))
}

/// The manifest has to name our version of the interface.
fn check_version(manifest: &Manifest) -> Result<(), PluginState> {
    let patch = VERSION.strip_prefix(&manifest.interface);
    if patch.is_some_and(|rest| rest.starts_with('.')) {
        Ok(())
    } else {
        Err(incompatible(&manifest.interface))
    }
}

fn incompatible(theirs: &str) -> PluginState {
    PluginState::Incompatible {
        reason: format!("it is built for {PACKAGE}@{theirs}, this server supports {PACKAGE}@{VERSION}"),
    }
}

/// Each ability in the manifest has to be exported, and each exported ability has to have its files in the manifest;
/// otherwise the plugin would never be called.
pub(super) fn check_exports(manifest: &Manifest, exports: &BTreeSet<String>) -> Result<(), PluginState> {
    let abilities = [
        ("extractor", "[[kinds]]", !manifest.kinds.is_empty()),
        ("thumbnailer", "[thumbnailer]", manifest.thumbnailer.is_some()),
        ("waveform", "[waveform]", manifest.waveform.is_some()),
        ("cloud", "[cloud]", manifest.cloud),
    ];
    for (ability, table, is_promised) in abilities {
        let name = interface(ability);
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
    let pages = interface("pages");
    if exports.contains(&pages) && manifest.kinds.is_empty() {
        return Err(failed(format!(
            "it exports `{pages}`, but its manifest has no `[[kinds]]` whose files have pages"
        )));
    }
    Ok(())
}

/// Why an import is rejected, with what to do about it.
fn not_offered(import: &str, name: &str, world: World) -> String {
    let offered = world.offered().join("`, `");
    if name.starts_with("wasi:") {
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
        let (name, _) = split_name(import);
        let short = name.strip_prefix(PACKAGE).and_then(|rest| rest.strip_prefix('/'));
        match short {
            Some("types") => {}
            Some(short) if world.offered().contains(&short) => {
                if !manifest.permissions.contains_key(short) {
                    let problem = format!(
                        "it imports `{import}`, but its manifest has no permission `{short}`: add `{short} = \"(the reason)\"` to `[permissions]`"
                    );
                    return Err(failed(problem));
                }
            }
            _ => return Err(failed(not_offered(import, name, world))),
        }
    }
    Ok(())
}
