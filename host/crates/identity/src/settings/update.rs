//! Validation and updates of settings.

use std::collections::BTreeMap;

use serde_json::Value;

use super::registry::Setting;
use super::{Settings, registry};
use crate::app::App;
use crate::capability::Capability;
use crate::error::{ErrorCode, FieldError, Result, ServiceError};
use crate::{AuthContext, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;
use svc_store::IdentityChange;

/// Maximum length of a key that an error repeats, in characters.
const MAX_KEY: usize = 40;

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
    pub(super) setting: &'static Setting,
    pub(super) value: Option<Value>,
}

/// Stores or deletes a value in the setting's scope; returns whether it changed. A deleted value of one app falls back
/// to the value of all apps.
pub(crate) async fn store_setting(
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

impl Settings {
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
    pub(crate) fn require_not_fixed(&self, settings: &[CheckedSetting]) -> Result<()> {
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
            return Err(by.actor.lacks_capability());
        }
        if by.actor.user.is_guest {
            return Err(ServiceError::Refused("the guest has no settings"));
        }
        let checked = Self::check(&patch.settings)?;
        self.require_not_fixed(&checked)?;
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
