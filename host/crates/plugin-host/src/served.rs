//! The versions of the interface that the server serves, and what it says of others.
//!
//! Each folder of `wit/` grows into the next: nothing is removed or changed, which a guard checks. So one set of bindings,
//! that of the newest version, calls plugins of every version and is called by them; only the names differ.

use wasmtime::Engine;
use wasmtime::component::Linker;

use crate::call::CallState;
use crate::host_functions;
use crate::interface::{InterfaceVersion, PACKAGE};

/// A version, and how the functions of the host that it has are linked under its names.
#[derive(Clone, Copy)]
pub(super) struct ServedVersion {
    pub(super) version: InterfaceVersion,
    pub(super) link: fn(&mut Linker<CallState>, InterfaceVersion) -> wasmtime::Result<()>,
}

/// The newest version, which the tools of authors build for.
const NEWEST: ServedVersion = ServedVersion {
    version: InterfaceVersion("0.1.0"),
    link: host_functions::v0_1,
};

/// Those of the newest folder of `wit/` and of the one before it, newest first.
const SERVED: [ServedVersion; 1] = [NEWEST];

/// The newest version of the interface.
pub const INTERFACE_VERSION: &str = NEWEST.version.0;

/// The versions of the interface that the server serves, newest first.
pub fn served_versions() -> impl Iterator<Item = &'static str> {
    SERVED.iter().map(|served| served.version.0)
}

/// The versions that a plugin host serves, newest first.
#[derive(Clone, Copy)]
pub(super) struct Served(pub(super) &'static [ServedVersion]);

impl Default for Served {
    fn default() -> Self {
        Self(&SERVED)
    }
}

impl Served {
    /// The newest version alone. The world of cloud plugins is linked by the generated bindings, under their names.
    pub(super) fn newest() -> Self {
        Self(&[NEWEST])
    }

    /// The host functions for plugins.
    pub(super) fn linker(self, engine: &Engine) -> wasmtime::Result<Linker<CallState>> {
        let mut linker = Linker::new(engine);
        for served in self.0 {
            (served.link)(&mut linker, served.version)?;
        }
        Ok(linker)
    }

    /// Whether names of plugins may have this version.
    pub(super) fn has(self, version: &str) -> bool {
        self.0.iter().any(|served| served.version.0 == version)
    }

    /// The version that a manifest means.
    pub(super) fn of_manifest(self, interface: &str) -> Option<InterfaceVersion> {
        let mut versions = self.0.iter().map(|served| served.version);
        versions.find(|version| version.is_named(interface))
    }

    /// What to say of a plugin for a version that is not served.
    pub(super) fn lacks(self, wanted: &str) -> String {
        let names = self
            .0
            .iter()
            .map(|served| format!("{PACKAGE}@{}", served.version.0));
        let names = names.collect::<Vec<_>>().join(" and ");
        format!("it is built for {PACKAGE}@{wanted}, this server supports {names}")
    }
}
