//! How the server runs: with which service that vouches for accounts.

/// How the server runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloudMode {
    /// Without a cloud.
    None,
    /// The documented protocol, by the built-in plugin.
    Cloud,
    /// OpenID Connect, by the built-in plugin.
    Oidc,
    /// The operator's own plugin.
    Plugin,
}

impl CloudMode {
    /// Its name for people and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Cloud => "cloud",
            Self::Oidc => "oidc",
            Self::Plugin => "plugin",
        }
    }
}
