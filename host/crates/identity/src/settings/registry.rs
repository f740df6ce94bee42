//! The closed list of settings with types, defaults and bounds.

use serde_json::{Value, json};

use crate::app::App;

/// The owner of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// One value for the server.
    Server,
    /// One value for the server, which each app can override.
    ServerPerApp,
    /// One value per account.
    Account,
}

impl Scope {
    /// Whether `ServerSettings.Update` is required to change it.
    pub fn is_server_wide(self) -> bool {
        matches!(self, Self::Server | Self::ServerPerApp)
    }
}

/// The type of a setting's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A boolean.
    Boolean {
        /// Used if no value is stored.
        default: bool,
    },
    /// An integer within bounds.
    Integer {
        /// Used if no value is stored.
        default: i64,
        /// Minimum, inclusive.
        min: i64,
        /// Maximum, inclusive.
        max: i64,
    },
    /// One of several words.
    Choice {
        /// Used if no value is stored.
        default: &'static str,
        /// The allowed values.
        words: &'static [&'static str],
    },
    /// A text for display.
    Text {
        /// Used if no value is stored.
        default: &'static str,
        /// Maximum length in characters.
        max: usize,
    },
}

/// One setting.
#[derive(Debug)]
pub struct Setting {
    /// Name in the API.
    pub key: &'static str,
    /// The only app that has it; all apps if `None`.
    pub app: Option<App>,
    /// The owner of its value.
    pub scope: Scope,
    /// The type of its value.
    pub kind: Kind,
}

const fn setting(key: &'static str, app: Option<App>, scope: Scope, kind: Kind) -> Setting {
    Setting {
        key,
        app,
        scope,
        kind,
    }
}

const fn boolean(default: bool) -> Kind {
    Kind::Boolean { default }
}

/// Name of the server.
pub const SERVER_NAME: &str = "server_name";
/// Idle timeout of sessions.
pub const SESSION_TIMEOUT: &str = "session_timeout";
/// Whether guest access is enabled.
pub const GUEST_ACCESS: &str = "guest_access";
/// Interval of scheduled scans.
pub const SCAN_SCHEDULE: &str = "scan_schedule";
/// Whether the media directories are watched for changes.
pub const WATCH_DIRECTORIES: &str = "watch_directories";
/// Maximum of concurrent streams per user; 0 is unlimited.
pub const MAX_CONCURRENT_STREAMS: &str = "max_concurrent_streams";
/// Days after which missing files are purged; 0 is never.
pub const PURGE_MISSING_AFTER_DAYS: &str = "purge_missing_days";
/// Whether the list of accounts is visible without a login.
pub const PUBLIC_USER_LIST: &str = "public_user_list";

/// The values of `session_timeout`: until the page is closed, until the browser is closed, or idle days.
pub const SESSION_TIMEOUTS: &[&str] = &["memory", "session", "1d", "7d", "30d", "90d"];

/// All settings.
#[rustfmt::skip]
pub const SETTINGS: &[Setting] = &[
    setting(SERVER_NAME,              None,              Scope::Server,       Kind::Text { default: "svc", max: 100 }),
    setting(SESSION_TIMEOUT,          None,              Scope::ServerPerApp, Kind::Choice { default: "30d", words: SESSION_TIMEOUTS }),
    setting(GUEST_ACCESS,             None,              Scope::Server,       boolean(false)),
    setting(PUBLIC_USER_LIST,         None,              Scope::Server,       boolean(true)),
    setting(MAX_CONCURRENT_STREAMS,   None,              Scope::Server,       Kind::Integer { default: 0, min: 0, max: 1000 }),
    setting(SCAN_SCHEDULE,            None,              Scope::Server,       Kind::Choice { default: "daily", words: &["off", "hourly", "daily", "weekly"] }),
    setting(WATCH_DIRECTORIES,        None,              Scope::Server,       boolean(true)),
    setting(PURGE_MISSING_AFTER_DAYS, None,              Scope::Server,       Kind::Integer { default: 90, min: 0, max: 3650 }),
    setting("auto_check_for_updates", None,              Scope::Server,       boolean(true)),
    setting("language",               None,              Scope::Account,      Kind::Text { default: "en", max: 35 }),
    setting("theme",                  None,              Scope::Account,      Kind::Choice { default: "system", words: &["system", "light", "dark"] }),
    setting("start_page",             None,              Scope::Account,      Kind::Text { default: "home", max: 64 }),
    setting("audio_playback_timeout", Some(App::Music),  Scope::Account,      Kind::Integer { default: 0, min: 0, max: 86_400 }),
    setting("show_waveform",          Some(App::Music),  Scope::Account,      boolean(true)),
    setting("photo_grid_size",        Some(App::Photos), Scope::Account,      Kind::Choice { default: "medium", words: &["small", "medium", "large"] }),
    setting("autoplay_next_episode",  Some(App::Cinema), Scope::Account,      boolean(true)),
];

/// Finds a setting by key.
pub fn find(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key == key)
}

impl Setting {
    /// The default value.
    pub fn default(&self) -> Value {
        match self.kind {
            Kind::Boolean { default } => json!(default),
            Kind::Integer { default, .. } => json!(default),
            Kind::Choice { default, .. } | Kind::Text { default, .. } => json!(default),
        }
    }

    /// Checks a value.
    ///
    /// # Errors
    /// The expected type and bounds, as text for the client.
    pub fn check(&self, value: &Value) -> Result<Value, String> {
        match (self.kind, value) {
            (Kind::Boolean { .. }, Value::Bool(_)) => Ok(value.clone()),
            (Kind::Boolean { .. }, _) => Err("must be true or false".to_owned()),
            (Kind::Integer { min, max, .. }, _) => match value.as_i64() {
                Some(number) if (min..=max).contains(&number) => Ok(json!(number)),
                _ => Err(format!("must be a whole number, {min} to {max}")),
            },
            (Kind::Choice { words, .. }, Value::String(word)) if words.contains(&word.as_str()) => {
                Ok(value.clone())
            }
            (Kind::Choice { words, .. }, _) => Err(format!("must be one of {}", words.join(", "))),
            (Kind::Text { max, .. }, Value::String(text)) => {
                let text = text.trim();
                let fits = !text.is_empty() && text.chars().count() <= max;
                if fits && !text.chars().any(char::is_control) {
                    Ok(json!(text))
                } else {
                    Err(format!(
                        "must have 1 to {max} characters and no control characters"
                    ))
                }
            }
            (Kind::Text { .. }, _) => Err("must be a string".to_owned()),
        }
    }

    /// Whether an app has this setting.
    pub fn is_for(&self, app: App) -> bool {
        self.app.is_none_or(|own| own == app)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_valid_and_keys_unique() {
        let mut keys: Vec<_> = SETTINGS.iter().map(|setting| setting.key).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), SETTINGS.len());
        for setting in SETTINGS {
            assert_eq!(
                setting.check(&setting.default()),
                Ok(setting.default()),
                "{}",
                setting.key
            );
        }
    }

    #[test]
    fn values_of_wrong_type_or_out_of_bounds_are_rejected() {
        for (key, bad) in [
            ("guest_access", json!("true")),
            ("guest_access", json!(1)),
            ("guest_access", Value::Null),
            ("max_concurrent_streams", json!(-1)),
            ("max_concurrent_streams", json!(1001)),
            ("max_concurrent_streams", json!(1.5)),
            ("max_concurrent_streams", json!("3")),
            ("session_timeout", json!("forever")),
            ("session_timeout", json!(30)),
            ("server_name", json!("")),
            ("server_name", json!(" \n ")),
            ("server_name", json!("a\u{7}b")),
            ("server_name", json!("x".repeat(101))),
            ("server_name", json!(["svc"])),
        ] {
            assert!(find(key).unwrap().check(&bad).is_err(), "{key} {bad}");
        }
        assert_eq!(
            find("server_name").unwrap().check(&json!(" Home ")),
            Ok(json!("Home"))
        );
        assert!(find("Server_Name").is_none());
    }
}
