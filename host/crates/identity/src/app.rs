//! The client apps that users sign in to, with the capability that each requires.

use crate::capability::Capability;
use svc_domain::named_enum::named_enum;

named_enum! {
    /// A client app; the header `svc-app` carries its name.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum App {
        /// Administration.
        Admin => "admin",
        /// Music.
        Music => "music",
        /// Photos.
        Photos => "photos",
        /// Movies and TV shows.
        Cinema => "cinema",
    }
}

impl App {
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
