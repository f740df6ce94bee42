//! Settings: the server's, kept in memory as well because every sign-in asks for some, and each account's own.

pub mod registry;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Mutex;

use crate::app::App;
use crate::capability::Capability;
use crate::error::{FieldError, Result, ServiceError};
use crate::{AuthContext, Context, run_to_completion};
use registry::{
    GUEST_ACCESS, MAX_CONCURRENT_STREAMS, PUBLIC_USER_LIST, PURGE_MISSING_AFTER_DAYS, SCAN_SCHEDULE,
    SERVER_NAME, SESSION_TIMEOUT, SETTINGS, Setting, WATCH_DIRECTORIES,
};
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;
use svc_domain::time::Timestamp;
use svc_store::{IdentityChange, ServerSetting, SettingsRepository};

/// How long a session without a lasting cookie is remembered while nobody uses it.
const UNSEEN_MEMORY_SESSION: Duration = Duration::from_secs(24 * 60 * 60);
const UNSEEN_BROWSER_SESSION: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Characters of a key that is repeated in an error.
const MAX_KEY: usize = 40;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Where the apps keep a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionScope {
    /// For good.
    Local,
    /// For as long as the browser runs.
    Session,
    /// For as long as the page is open.
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

/// How long sessions last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionPolicy {
    /// Where the apps keep them.
    pub scope: SessionScope,
    /// How long one lasts without being refreshed.
    pub idle: Duration,
}

impl SessionPolicy {
    /// When a session that is used now ends unless it is used again.
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

/// A change of settings as it was asked for.
#[derive(Debug)]
pub struct SettingsPatch {
    /// The app it is for; all if `None`.
    pub app: Option<App>,
    /// Keys with their new values.
    pub settings: serde_json::Map<String, Value>,
}

/// A setting with a value that will do; none resets it.
#[derive(Debug, Clone)]
pub struct CheckedSetting {
    setting: &'static Setting,
    value: Option<Value>,
}

/// Values of the server's settings, by app (empty for all) and key.
type ServerValues = BTreeMap<(String, String), Value>;

/// Reads and changes settings.
#[derive(Debug, Clone)]
pub struct Settings {
    context: Context,
    settings: SettingsRepository,
    kiosk: bool,
    server: Arc<RwLock<Arc<ServerValues>>>,
    reading: Arc<Mutex<()>>,
}

impl Settings {
    /// The settings of this store. A kiosk lets guests in, whatever its settings say.
    ///
    /// # Errors
    /// The store's.
    pub async fn open(context: Context, settings: SettingsRepository, kiosk: bool) -> Result<Self> {
        let opened = Self {
            context,
            settings,
            kiosk,
            server: Arc::default(),
            reading: Arc::default(),
        };
        opened.reload().await?;
        Ok(opened)
    }

    /// Reads the server's settings again.
    ///
    /// # Errors
    /// The store's.
    pub async fn reload(&self) -> Result<()> {
        // One at a time: what was read first must not replace what was read later.
        let _reading = self.reading.lock().await;
        let rows = self.settings.server_settings().await?;
        let values = rows.into_iter().filter_map(|ServerSetting { app, key, value }| {
            // A key or value of another version counts for nothing rather than for a fault.
            let setting = registry::find(&key)?;
            let value = setting.check(&serde_json::from_str(&value).ok()?).ok()?;
            Some(((app, key), value))
        });
        let values = Arc::new(values.collect());
        *self.server.write().unwrap_or_else(PoisonError::into_inner) = values;
        Ok(())
    }

    /// The value that an option of the server holds a setting at.
    fn fixed(&self, setting: &Setting) -> Option<Value> {
        (self.kiosk && setting.key == GUEST_ACCESS).then_some(Value::Bool(true))
    }

    /// The value in force.
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

    /// What the server is called.
    pub fn server_name(&self) -> String {
        self.known(SERVER_NAME, None)
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Whether the guest may sign in.
    pub fn guest_access(&self) -> bool {
        self.known(GUEST_ACCESS, None) == Value::Bool(true)
    }

    /// Whether the names of accounts are shown before signing in.
    pub fn public_user_list(&self) -> bool {
        self.known(PUBLIC_USER_LIST, None) == Value::Bool(true)
    }

    /// How often the directories are scanned by themselves; `None` for never.
    pub fn scan_every(&self) -> Option<Duration> {
        match self.known(SCAN_SCHEDULE, None).as_str() {
            Some("hourly") => Some(DAY / 24),
            Some("daily") => Some(DAY),
            Some("weekly") => Some(DAY * 7),
            _ => None,
        }
    }

    /// Whether changes in the directories are noticed at once.
    pub fn watch_directories(&self) -> bool {
        self.known(WATCH_DIRECTORIES, None) == Value::Bool(true)
    }

    /// How many files a user may play at once; `None` for any number.
    pub fn max_concurrent_streams(&self) -> Option<usize> {
        let streams = self.known(MAX_CONCURRENT_STREAMS, None).as_u64()?;
        usize::try_from(streams).ok().filter(|streams| *streams > 0)
    }

    /// How long a file that is gone is remembered; `None` for good.
    pub fn purge_missing_after(&self) -> Option<Duration> {
        let days = self.known(PURGE_MISSING_AFTER_DAYS, None).as_u64()?;
        let days = u32::try_from(days).ok().filter(|days| *days > 0)?;
        Some(DAY * days)
    }

    /// How long sessions of an app last.
    pub fn session_policy(&self, app: App) -> SessionPolicy {
        SessionPolicy::from_word(
            self.known(SESSION_TIMEOUT, Some(app))
                .as_str()
                .unwrap_or_default(),
        )
    }

    /// All settings that an app is shown, with the account's own.
    ///
    /// # Errors
    /// The store's.
    pub async fn of_app(&self, app: App, user: UserId) -> Result<BTreeMap<&'static str, Value>> {
        let own: BTreeMap<_, _> = self.settings.account_settings(user).await?.into_iter().collect();
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
    /// Invalid, with every key that is unknown or has a bad value.
    pub fn check(settings: &serde_json::Map<String, Value>) -> Result<Vec<CheckedSetting>> {
        let mut errors = Vec::new();
        let mut checked = Vec::new();
        for (key, value) in settings {
            // Only what looks like a key is repeated: anything else may be a secret in the wrong place.
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

    /// Fails where a setting is held at another value by an option of the server.
    ///
    /// # Errors
    /// Conflict `setting_fixed`.
    pub(super) fn require_free(&self, settings: &[CheckedSetting]) -> Result<()> {
        let is_held = |found: &&CheckedSetting| {
            let fixed = self.fixed(found.setting);
            fixed.is_some() && fixed != found.value
        };
        settings.iter().find(is_held).map_or(Ok(()), |found| {
            let message = format!("`{}` is set by an option of the server", found.setting.key);
            Err(ServiceError::conflict("setting_fixed", message))
        })
    }

    /// Changes settings, all or none: the account's own, or the server's. Answers with the values that are in force then.
    ///
    /// # Errors
    /// Refused when one is the server's and the caller may not change those; invalid; conflict `setting_fixed`; the
    /// store's.
    pub async fn update(&self, by: AuthContext, patch: SettingsPatch) -> Result<BTreeMap<String, Value>> {
        // Whoever comes as the guest stays when the token is revoked.
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
            // What is remembered of other accounts depends on none of them.
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

/// Stores a setting where its scope says, or forgets what was stored there; tells whether it is another than it was. An
/// app's own value that is forgotten gives way to that of all apps.
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
