//! Names of the interface `svc:plugin` and of its versions.

/// Name of the package, without version.
pub(super) const PACKAGE: &str = "svc:plugin";
/// The interfaces that plugins may import. `types` has no functions and needs no permission.
pub const OFFERED: [&str; 4] = ["source", "related", "settings", "log"];
/// The interfaces that plugins of world `cloud-client` may import.
pub const OFFERED_TO_CLOUD: [&str; 5] = ["http", "clock", "state", "settings", "log"];

/// A version of the interface, as in the names of imports and exports: `0.1.0`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InterfaceVersion(pub(super) &'static str);

impl InterfaceVersion {
    /// The full name of an interface of this version.
    pub(super) fn name_of(self, interface: &str) -> String {
        format!("{PACKAGE}/{interface}@{}", self.0)
    }

    /// Whether a manifest means it: by its first two numbers.
    pub(super) fn is_named(self, by_manifest: &str) -> bool {
        let patch = self.0.strip_prefix(by_manifest);
        patch.is_some_and(|rest| rest.starts_with('.'))
    }
}

/// The interface of the package that a full name means, and its version; `None` for names of other packages.
pub(super) fn split(name: &str) -> Option<(&str, &str)> {
    let (name, version) = name.split_once('@').unwrap_or((name, ""));
    let interface = name.strip_prefix(PACKAGE)?.strip_prefix('/')?;
    Some((interface, version))
}
