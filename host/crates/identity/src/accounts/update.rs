//! Updates of accounts.

use super::Accounts;
use crate::account_input::{check, check_password, name_taken};
use crate::error::{Result, ServiceError};
use crate::names::{check_display_name, check_username, username_key};
use crate::password::NewPassword;
use crate::seats::require_free;
use crate::{AuthContext, Context, require_not_stronger, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;
use svc_domain::user::{Account, User};

/// Input of [`Accounts::update`]; `None` leaves a field unchanged.
#[derive(Debug, Default)]
pub struct UpdateUser {
    /// New login name.
    pub username: Option<String>,
    /// New display name; `Some(None)` removes it.
    pub display_name: Option<Option<String>>,
    /// Whether the account may sign in.
    pub enabled: Option<bool>,
    /// New password.
    pub password: Option<String>,
    /// The current password; verified if given. Without it, one's own password changes after a recent sign-in only.
    pub current_password: Option<String>,
}

/// A validated change with the hashed password.
struct Checked {
    username: Option<String>,
    display_name: Option<Option<String>>,
    enabled: Option<bool>,
    password_hash: Option<String>,
    /// The number of seats; no limit if `None`.
    seats: Option<u32>,
}

/// A validated change, before its password is hashed.
struct CheckedInput {
    username: Option<String>,
    display_name: Option<Option<String>>,
    enabled: Option<bool>,
    password: Option<NewPassword>,
    current_password: Option<String>,
}

fn check_input(request: UpdateUser) -> Result<CheckedInput> {
    let mut errors = Vec::new();
    let username = match request.username.as_deref().map(check_username) {
        None => None,
        Some(name) => check(name, "username", &mut errors),
    };
    let display_name = match request.display_name {
        Some(Some(name)) => check(check_display_name(&name), "displayName", &mut errors).map(Some),
        other => other,
    };
    let password = match request.password.map(check_password) {
        None => None,
        Some(password) => check(password, "password", &mut errors),
    };
    if !errors.is_empty() {
        return Err(ServiceError::Invalid(errors));
    }
    Ok(CheckedInput {
        username,
        display_name,
        enabled: request.enabled,
        password,
        current_password: request.current_password,
    })
}

async fn apply(context: &Context, by: &AuthContext, id: UserId, checked: Checked) -> Result<Account> {
    let mut change = context.change_by(by).await?;
    let Account { user: old, roles } = change.account(id).await?.ok_or(ServiceError::NotFound)?;
    // Repeated inside the transaction, because the roles may have changed.
    require_not_stronger(
        by,
        &Account {
            user: old.clone(),
            roles,
        },
    )?;
    let new = User {
        username: checked.username.unwrap_or_else(|| old.username.clone()),
        display_name: checked.display_name.unwrap_or_else(|| old.display_name.clone()),
        enabled: checked.enabled.unwrap_or(old.enabled),
        ..old.clone()
    };
    if new.enabled && !old.enabled {
        require_free(&mut change, checked.seats).await?;
    }
    if !change.update_user(&new, &username_key(&new.username)).await? {
        return Err(name_taken());
    }
    let changed: Vec<_> = [
        ("username", new.username != old.username),
        ("displayName", new.display_name != old.display_name),
        ("enabled", new.enabled != old.enabled),
    ]
    .into_iter()
    .filter_map(|(field, changed)| changed.then_some(field))
    .collect();
    if !changed.is_empty() {
        let details = [("changed", changed.join(", "))];
        let event = AuditEvent::UserUpdated;
        change
            .audit(&context.audit_of(by, event, Some(&new), &details))
            .await?;
    }
    if let Some(hash) = &checked.password_hash {
        change.set_password_hash(id, hash).await?;
        let event = AuditEvent::PasswordChanged;
        change
            .audit(&context.audit_of(by, event, Some(&new), &[]))
            .await?;
    }
    // A new password or a disabled account revokes all other sessions.
    if checked.password_hash.is_some() || !new.enabled {
        change
            .revoke_sessions(id, by.actor.session(), context.now())
            .await?;
    }
    let account = change.account(id).await?.ok_or(ServiceError::NotFound)?;
    if changed.is_empty() {
        change.commit_of([id]).await?;
    } else {
        // Names and the list of enabled accounts are visible to other users, so all permission snapshots are
        // invalidated.
        change.commit().await?;
    }
    Ok(account)
}

impl Accounts {
    /// Changes the caller's account or another one.
    ///
    /// # Errors
    /// Not found; refused for an account with capabilities the caller lacks, for the guest, and for disabling the owner
    /// or oneself; reauthentication required; invalid input; conflict for a name in use, and for enabling an account without a free seat; database
    /// errors.
    pub async fn update(&self, by: AuthContext, id: UserId, request: UpdateUser) -> Result<Account> {
        // A personal access token must not verify passwords, nor create a login that outlives the token.
        let is_way_in =
            request.password.is_some() || request.current_password.is_some() || request.enabled == Some(true);
        if is_way_in && !by.actor.is_signed_in() {
            return Err(ServiceError::TokenNotPermitted);
        }
        let enabled = request.enabled;
        let input = check_input(request)?;
        let target = self.get(id).await?;
        require_not_stronger(&by, &target)?;
        if target.user.is_guest {
            return Err(ServiceError::Refused("the guest's account cannot be changed"));
        }
        if enabled == Some(false) {
            if target.user.is_owner {
                return Err(ServiceError::Refused("the owner cannot be disabled"));
            }
            if id == by.actor.user.id {
                return Err(ServiceError::Refused("you cannot disable your own account"));
            }
        }
        // Whoever finds an access token must not make a lasting login of it.
        let is_own = id == by.actor.user.id;
        if is_own && input.password.is_some() && input.current_password.is_none() {
            self.logins.sessions.require_recent_sign_in(&by).await?;
        }
        let checked = self.hashed(&by, &target.user, input).await?;
        let context = self.context.clone();
        run_to_completion(&self.context.tasks, "user-update", async move {
            apply(&context, &by, id, checked).await
        })
        .await
    }

    /// Verifies the current password, if given, and hashes the new one.
    async fn hashed(&self, by: &AuthContext, target: &User, input: CheckedInput) -> Result<Checked> {
        if let Some(current) = input.current_password {
            self.logins.confirm_password(target, &by.client, current).await?;
        }
        Ok(Checked {
            username: input.username,
            display_name: input.display_name,
            enabled: input.enabled,
            password_hash: match input.password {
                Some(password) => Some(self.passwords.hash(by.client.known(), password).await?),
                None => None,
            },
            seats: self.seats.known().await?,
        })
    }
}
