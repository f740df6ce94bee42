//! Settings of the server, cached in memory because each login reads some, and settings of accounts.

pub mod registry;
mod session_policy;
mod update;

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Mutex;

use crate::Context;
use crate::app::App;
use crate::error::Result;
use registry::{
    GUEST_ACCESS, MAX_CONCURRENT_STREAMS, PUBLIC_USER_LIST, PURGE_MISSING_AFTER_DAYS, SCAN_SCHEDULE,
    SERVER_NAME, SESSION_TIMEOUT, SETTINGS, Setting, WATCH_DIRECTORIES,
};
use svc_domain::id::UserId;
use svc_store::{ServerSetting, SettingsRepository};

pub use session_policy::{SessionPolicy, SessionScope};
pub(super) use update::store_setting;
pub use update::{CheckedSetting, SettingsPatch};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Values of server settings by app (empty for all) and key.
type ServerValues = BTreeMap<(String, String), Value>;

/// The settings service.
#[derive(Debug, Clone)]
pub struct Settings {
    context: Context,
    settings: SettingsRepository,
    kiosk: bool,
    server: Arc<RwLock<Arc<ServerValues>>>,
    reading: Arc<Mutex<()>>,
}

impl Settings {
    /// Reads the server's settings. In kiosk mode guest access is always enabled.
    ///
    /// # Errors
    /// Database errors.
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
    /// Database errors.
    pub async fn reload(&self) -> Result<()> {
        // Serialised, so that an older result never replaces a newer one.
        let _reading = self.reading.lock().await;
        let rows = self.settings.server_settings().await?;
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

    fn value_of(&self, key: &str, app: Option<App>) -> Value {
        registry::find(key).map_or(Value::Null, |setting| self.server_value(setting, app))
    }

    /// Name of the server.
    pub fn server_name(&self) -> String {
        self.value_of(SERVER_NAME, None)
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    /// Whether guest access is enabled.
    pub fn guest_access(&self) -> bool {
        self.value_of(GUEST_ACCESS, None) == Value::Bool(true)
    }

    /// Whether the list of accounts is visible without a login.
    pub fn public_user_list(&self) -> bool {
        self.value_of(PUBLIC_USER_LIST, None) == Value::Bool(true)
    }

    /// Interval of scheduled scans; `None` if disabled.
    pub fn scan_every(&self) -> Option<Duration> {
        match self.value_of(SCAN_SCHEDULE, None).as_str() {
            Some("hourly") => Some(DAY / 24),
            Some("daily") => Some(DAY),
            Some("weekly") => Some(DAY * 7),
            _ => None,
        }
    }

    /// Whether the media directories are watched for changes.
    pub fn watch_directories(&self) -> bool {
        self.value_of(WATCH_DIRECTORIES, None) == Value::Bool(true)
    }

    /// Maximum of concurrent streams per user; `None` if unlimited.
    pub fn max_concurrent_streams(&self) -> Option<usize> {
        let streams = self.value_of(MAX_CONCURRENT_STREAMS, None).as_u64()?;
        usize::try_from(streams).ok().filter(|streams| *streams > 0)
    }

    /// Time after which missing files are purged; `None` if never.
    pub fn purge_missing_after(&self) -> Option<Duration> {
        let days = self.value_of(PURGE_MISSING_AFTER_DAYS, None).as_u64()?;
        let days = u32::try_from(days).ok().filter(|days| *days > 0)?;
        Some(DAY * days)
    }

    /// Lifetime of the sessions of an app.
    pub fn session_policy(&self, app: App) -> SessionPolicy {
        SessionPolicy::from_word(
            self.value_of(SESSION_TIMEOUT, Some(app))
                .as_str()
                .unwrap_or_default(),
        )
    }

    /// All settings of an app, with the values of the account.
    ///
    /// # Errors
    /// Database errors.
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
}
