//! The client apps.

use crate::capability::Capability;

/// A client app; the header `svc-app` carries its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum App {
    /// Administration.
    Admin,
    /// Music.
    Music,
    /// Photos.
    Photos,
    /// Movies and TV shows.
    Cinema,
}

impl App {
    /// All apps.
    pub const ALL: [Self; 4] = [Self::Admin, Self::Music, Self::Photos, Self::Cinema];

    /// The name in headers, paths and tokens.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admin => "admin",
            Self::Music => "music",
            Self::Photos => "photos",
            Self::Cinema => "cinema",
        }
    }

    /// Parses a name; case-sensitive.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|app| app.as_str() == name)
    }

    /// The capability required to sign in to the app.
    pub fn login_capability(self) -> Capability {
        match self {
            Self::Admin => Capability::AdminAppLogin,
            Self::Music => Capability::MusicAppLogin,
            Self::Photos => Capability::PhotosAppLogin,
            Self::Cinema => Capability::CinemaAppLogin,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn app_names_are_matched_exactly() {
        assert_eq!(App::from_name("music"), Some(App::Music));
        for name in ["Music", "music ", "", "cinemas", "music,admin"] {
            assert_eq!(App::from_name(name), None, "{name:?}");
        }
    }
}
