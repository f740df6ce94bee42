//! Settings of the server, cached in memory because each login reads some, and settings of accounts.

pub mod registry;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Mutex;

use crate::app::App;
use crate::capability::Capability;
use crate::error::{ErrorCode, FieldError, Result, ServiceError};
use crate::{AuthContext, Context, run_to_completion};
use registry::{
    GUEST_ACCESS, MAX_CONCURRENT_STREAMS, PUBLIC_USER_LIST, PURGE_MISSING_AFTER_DAYS, SCAN_SCHEDULE,
    SERVER_NAME, SESSION_TIMEOUT, SETTINGS, Setting, WATCH_DIRECTORIES,
};
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;
use svc_domain::time::Timestamp;
use svc_store::{IdentityChange, ServerSetting};

/// Idle timeout of a session without a persistent cookie.
const UNSEEN_MEMORY_SESSION: Duration = Duration::from_secs(24 * 60 * 60);
const UNSEEN_BROWSER_SESSION: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Maximum length of a key that an error repeats, in characters.
const MAX_KEY: usize = 40;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Where apps store a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionScope {
    /// Persistent.
    Local,
    /// Until the browser is closed.
    Session,
    /// Until the page is closed.
    Memory,
}

impl SessionScope {
    /// The name in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Session => "session",
            Self::Memory => "memory",
        }
    }
}

/// Lifetime of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionPolicy {
    /// Where apps store them.
    pub scope: SessionScope,
    /// Idle timeout.
    pub idle: Duration,
}

impl SessionPolicy {
    /// When a session that is used now expires.
    pub fn idle_expiry(&self, now: Timestamp) -> Timestamp {
        let idle = i64::try_from(self.idle.as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(now.millis().saturating_add(idle))
    }

    fn from_word(word: &str) -> Self {
        let days = word.strip_suffix('d').and_then(|days| days.parse::<u32>().ok());
        let (scope, idle) = match (word, days) {
            (_, Some(days)) => (SessionScope::Local, DAY * days),
            ("session", _) => (SessionScope::Session, UNSEEN_BROWSER_SESSION),
            _ => (SessionScope::Memory, UNSEEN_MEMORY_SESSION),
        };
        Self { scope, idle }
    }
}

/// Input of [`Settings::update`].
#[derive(Debug)]
pub struct SettingsPatch {
    /// The app; all apps if `None`.
    pub app: Option<App>,
    /// Keys and new values; `null` resets.
    pub settings: serde_json::Map<String, Value>,
}

/// A setting with a valid value; `None` resets it.
#[derive(Debug, Clone)]
pub struct CheckedSetting {
    setting: &'static Setting,
    value: Option<Value>,
}

/// Values of server settings by app (empty for all) and key.
type ServerValues = BTreeMap<(String, String), Value>;

/// The settings service.
#[derive(Debug, Clone)]
pub struct Settings {
    context: Context,
    kiosk: bool,
    server: Arc<RwLock<Arc<ServerValues>>>,
    reading: Arc<Mutex<()>>,
}

impl Settings {
    /// Reads the server's settings. In kiosk mode guest access is always enabled.
    ///
    /// # Errors
    /// Database errors.
    pub async fn open(context: Context, kiosk: bool) -> Result<Self> {
        let settings = Self {
            context,
            kiosk,
            server: Arc::default(),
            reading: Arc::default(),
        };
        settings.reload().await?;
        Ok(settings)
    }

    /// Reads the server's settings again.
    ///
    /// # Errors
    /// Database errors.
    pub async fn reload(&self) -> Result<()> {
        // Serialised, so that an older result never replaces a newer one.
        let _reading = self.reading.lock().await;
        let rows = self.context.store.server_settings().await?;
        let values = rows.into_iter().filter_map(|ServerSetting { app, key, value }| {
            // Keys and values of another version are ignored.
            let setting = registry::find(&key)?;
            let value = setting.check(&serde_json::from_str(&value).ok()?).ok()?;
            Some(((app, key), value))
        });
        let values = Arc::new(values.collect());
        *self.server.write().unwrap_or_else(PoisonError::into_inner) = values;
        Ok(())
    }

    /// The value that an option of the server fixes.
    fn fixed(&self, setting: &Setting) -> Option<Value> {
        (self.kiosk && setting.key == GUEST_ACCESS).then_some(Value::Bool(true))
    }

    /// The effective value.
    fn server_value(&self, setting: &Setting, app: Option<App>) -> Value {
        if let Some(fixed) = self.fixed(setting) {
            return fixed;
        }
        let values = Arc::clone(&self.server.read().unwrap_or_else(PoisonError::into_inner));
        let of = |app: &str| values.get(&(app.to_owned(), setting.key.to_owned())).cloned();
        app.and_then(|app| of(app.as_str()))
            .or_else(|| of(""))
            .unwrap_or_else(|| setting.default())
    }

    fn known(&self, key: &str, app: Option<App>) -> Value {
        registry::find(key).map_or(Value::Null, |setting| self.server_value(setting, app))
    }

    /// Name of the server.
    pub fn server_name(&self) -> String {
        self.known(SERVER_NAME, None)
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Whether guest access is enabled.
    pub fn guest_access(&self) -> bool {
        self.known(GUEST_ACCESS, None) == Value::Bool(true)
    }

    /// Whether the list of accounts is visible without a login.
    pub fn public_user_list(&self) -> bool {
        self.known(PUBLIC_USER_LIST, None) == Value::Bool(true)
    }

    /// Interval of scheduled scans; `None` if disabled.
    pub fn scan_every(&self) -> Option<Duration> {
        match self.known(SCAN_SCHEDULE, None).as_str() {
            Some("hourly") => Some(DAY / 24),
            Some("daily") => Some(DAY),
            Some("weekly") => Some(DAY * 7),
            _ => None,
        }
    }

    /// Whether the media directories are watched for changes.
    pub fn watch_directories(&self) -> bool {
        self.known(WATCH_DIRECTORIES, None) == Value::Bool(true)
    }

    /// Maximum of concurrent streams per user; `None` if unlimited.
    pub fn max_concurrent_streams(&self) -> Option<usize> {
        let streams = self.known(MAX_CONCURRENT_STREAMS, None).as_u64()?;
        usize::try_from(streams).ok().filter(|streams| *streams > 0)
    }

    /// Time after which missing files are purged; `None` if never.
    pub fn purge_missing_after(&self) -> Option<Duration> {
        let days = self.known(PURGE_MISSING_AFTER_DAYS, None).as_u64()?;
        let days = u32::try_from(days).ok().filter(|days| *days > 0)?;
        Some(DAY * days)
    }

    /// Lifetime of the sessions of an app.
    pub fn session_policy(&self, app: App) -> SessionPolicy {
        SessionPolicy::from_word(
            self.known(SESSION_TIMEOUT, Some(app))
                .as_str()
                .unwrap_or_default(),
        )
    }

    /// All settings of an app, with the values of the account.
    ///
    /// # Errors
    /// Database errors.
    pub async fn of_app(&self, app: App, user: UserId) -> Result<BTreeMap<&'static str, Value>> {
        let own: BTreeMap<_, _> = self
            .context
            .store
            .account_settings(user)
            .await?
            .into_iter()
            .collect();
        let shown = SETTINGS.iter().filter(|setting| setting.is_for(app));
        let values = shown.map(|setting| {
            let value = if setting.scope.is_server_wide() {
                self.server_value(setting, Some(app))
            } else {
                let stored = own.get(setting.key);
                let stored = stored.and_then(|text| serde_json::from_str(text).ok());
                stored
                    .and_then(|value| setting.check(&value).ok())
                    .unwrap_or_else(|| setting.default())
            };
            (setting.key, value)
        });
        Ok(values.collect())
    }

    /// Checks keys and values. `null` resets a setting to its default.
    ///
    /// # Errors
    /// Invalid, with an error for each unknown key and invalid value.
    pub fn check(settings: &serde_json::Map<String, Value>) -> Result<Vec<CheckedSetting>> {
        let mut errors = Vec::new();
        let mut checked = Vec::new();
        for (key, value) in settings {
            // The error repeats only texts with the form of a key; others may be secrets in the wrong place.
            let is_word =
                key.len() <= MAX_KEY && key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            let path = if is_word {
                format!("settings.{key}")
            } else {
                "settings".to_owned()
            };
            let outcome = registry::find(key)
                .ok_or_else(|| "there is no such setting".to_owned())
                .and_then(|setting| {
                    let given = (!value.is_null()).then(|| setting.check(value));
                    let value = given.transpose()?;
                    Ok(CheckedSetting { setting, value })
                });
            match outcome {
                Ok(setting) => checked.push(setting),
                Err(message) => errors.push(FieldError::new(path, message)),
            }
        }
        if errors.is_empty() {
            Ok(checked)
        } else {
            Err(ServiceError::Invalid(errors))
        }
    }

    /// Checks that no option of the server fixes one of these settings at another value.
    ///
    /// # Errors
    /// Conflict `setting_fixed`.
    pub(super) fn require_free(&self, settings: &[CheckedSetting]) -> Result<()> {
        let is_held = |found: &&CheckedSetting| {
            let fixed = self.fixed(found.setting);
            fixed.is_some() && fixed != found.value
        };
        settings.iter().find(is_held).map_or(Ok(()), |found| {
            let message = format!("`{}` is fixed by an option of the server", found.setting.key);
            Err(ServiceError::conflict(ErrorCode::SettingFixed, message))
        })
    }

    /// Changes settings of the account or the server, all or none; returns the effective values.
    ///
    /// # Errors
    /// Refused for server settings if the caller may not change them; invalid; conflict `setting_fixed`; database
    /// errors.
    pub async fn update(&self, by: AuthContext, patch: SettingsPatch) -> Result<BTreeMap<String, Value>> {
        // Guest access outlives the revocation of a token, so tokens may not change it.
        if patch.settings.contains_key(registry::GUEST_ACCESS) && !by.actor.is_signed_in() {
            return Err(ServiceError::TokenNotPermitted);
        }
        let server_wide =
            |key: &String| registry::find(key).is_some_and(|found| found.scope.is_server_wide());
        if patch.settings.keys().any(server_wide) && !by.actor.may(Capability::ServerSettingsUpdate) {
            return Err(ServiceError::Refused("your roles do not allow this"));
        }
        if by.actor.user.is_guest {
            return Err(ServiceError::Refused("the guest has no settings"));
        }
        let checked = Self::check(&patch.settings)?;
        self.require_free(&checked)?;
        let settings = self.clone();
        run_to_completion(&self.context.tasks, "settings-update", async move {
            let mut change = settings.context.change_by(&by).await?;
            let mut server_wide = Vec::new();
            for found in &checked {
                let changed = store_setting(&mut change, found, patch.app, by.actor.user.id).await?;
                if changed && found.setting.scope.is_server_wide() {
                    server_wide.push(found.setting.key);
                }
            }
            if !server_wide.is_empty() {
                let mut details = vec![("keys", server_wide.join(", "))];
                details.extend(patch.app.map(|app| ("app", app.as_str().to_owned())));
                let entry = settings
                    .context
                    .audit_of(&by, AuditEvent::SettingsChanged, None, &details);
                change.audit(&entry).await?;
            }
            // Other accounts' permission snapshots do not depend on settings.
            change.commit_of([by.actor.user.id]).await?;
            if !server_wide.is_empty() {
                settings.reload().await?;
            }
            let updated = checked.into_iter().map(|CheckedSetting { setting, value }| {
                let reset = || match setting.scope.is_server_wide() {
                    true => settings.server_value(setting, patch.app),
                    false => setting.default(),
                };
                (setting.key.to_owned(), value.unwrap_or_else(reset))
            });
            Ok(updated.collect())
        })
        .await
    }
}

/// Stores or deletes a value in the setting's scope; returns whether it changed. A deleted value of one app falls back
/// to the value of all apps.
pub(super) async fn store_setting(
    change: &mut IdentityChange,
    found: &CheckedSetting,
    app: Option<App>,
    user: UserId,
) -> Result<bool> {
    let CheckedSetting { setting, value } = found;
    let value = value.as_ref().map(Value::to_string);
    let app = match setting.scope {
        registry::Scope::ServerPerApp => app.map_or("", App::as_str),
        registry::Scope::Server => "",
        registry::Scope::Account => {
            return Ok(change
                .set_account_setting(user, setting.key, value.as_deref())
                .await?);
        }
    };
    Ok(change
        .set_server_setting(app, setting.key, value.as_deref())
        .await?)
}
