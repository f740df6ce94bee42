//! Accounts: making, changing and listing them.

use std::time::Duration;

use crate::activity::ActivityLog;
use crate::error::{FieldError, Result, ServiceError};
use crate::login::Logins;
use crate::names::{check_display_name, check_role_name, check_username, username_key};
use crate::password::{NewPassword, Passwords};
use crate::role::Role;
use crate::roles::{find_role, require_assignable};
use crate::{AuthContext, Context, require_not_stronger, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;
use svc_domain::list::{Listing, Order, Pagination};
use svc_domain::time::Timestamp;
use svc_domain::user::{Account, User};
use svc_store::{IdentityChange, NewUser, UserRepository};

/// An account that was used within this time is active: as long as an access token lives.
const ACTIVE: Duration = Duration::from_secs(15 * 60);

/// An account to be made.
#[derive(Debug)]
pub struct CreateUser {
    /// Its name.
    pub username: String,
    /// Its password.
    pub password: String,
    /// The name that is shown, if another.
    pub display_name: Option<String>,
    /// Its role; a newcomer's if absent.
    pub role: Option<String>,
}

/// What is to be changed of an account.
#[derive(Debug, Default)]
pub struct UpdateUser {
    /// Its name.
    pub username: Option<String>,
    /// The name that is shown; the outer option says whether to change it.
    pub display_name: Option<Option<String>>,
    /// Whether it may sign in.
    pub enabled: Option<bool>,
    /// Its password.
    pub password: Option<String>,
    /// The password it had; compared if given.
    pub current_password: Option<String>,
}

/// A checked change.
struct Checked {
    username: Option<String>,
    display_name: Option<Option<String>>,
    enabled: Option<bool>,
    password_hash: Option<String>,
}

/// Keeps accounts.
#[derive(Debug, Clone)]
pub struct Accounts {
    context: Context,
    users: UserRepository,
    passwords: Passwords,
    logins: Logins,
    activity: ActivityLog,
}

/// Notes what is wrong with a field, if anything.
pub(super) fn check<T>(
    outcome: std::result::Result<T, &'static str>,
    path: &str,
    errors: &mut Vec<FieldError>,
) -> Option<T> {
    outcome
        .map_err(|message| errors.push(FieldError::new(path, message)))
        .ok()
}

/// A password that may be set.
pub fn check_password(password: String) -> std::result::Result<NewPassword, &'static str> {
    NewPassword::new(password).ok_or("must have 8 to 256 bytes")
}

/// The conflict of a name that another account has.
pub fn name_taken() -> ServiceError {
    ServiceError::conflict("username_taken", "there is an account of this name")
}

impl Accounts {
    /// The accounts of this store.
    pub fn new(
        context: Context,
        users: UserRepository,
        passwords: Passwords,
        logins: Logins,
        activity: ActivityLog,
    ) -> Self {
        Self {
            context,
            users,
            passwords,
            logins,
            activity,
        }
    }

    /// Accounts by the moment they were made.
    ///
    /// # Errors
    /// The store's.
    pub async fn list(&self, page: Pagination, order: Order) -> Result<Listing<Account>> {
        Ok(self.users.list_accounts(page, order).await?)
    }

    /// An account.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn get(&self, id: UserId) -> Result<Account> {
        self.users.account(id).await?.ok_or(ServiceError::NotFound)
    }

    /// The owner, if there is one.
    ///
    /// # Errors
    /// The store's.
    pub async fn owner(&self) -> Result<Option<Account>> {
        Ok(self.users.owner().await?)
    }

    /// Enabled accounts, by name.
    ///
    /// # Errors
    /// The store's.
    pub async fn enabled(&self) -> Result<Vec<User>> {
        Ok(self.users.enabled_users(None).await?)
    }

    /// Enabled accounts that were used within the last fifteen minutes.
    ///
    /// # Errors
    /// The store's.
    pub async fn active(&self) -> Result<Vec<User>> {
        self.activity.write(&self.users).await?;
        let ago = i64::try_from(ACTIVE.as_millis()).unwrap_or(i64::MAX);
        let since = Timestamp::from_millis(self.context.now().millis() - ago);
        Ok(self.users.enabled_users(Some(since)).await?)
    }

    /// Makes an account.
    ///
    /// # Errors
    /// Invalid input or role; refused for a role that nobody is given or that may do more than the caller; conflict
    /// for a name that is taken; the store's.
    pub async fn create(&self, by: AuthContext, request: CreateUser) -> Result<Account> {
        let mut errors = Vec::new();
        let username = check(check_username(&request.username), "username", &mut errors);
        let display_name = match request.display_name.as_deref().map(check_display_name) {
            None => None,
            Some(name) => check(name, "displayName", &mut errors),
        };
        let password = check(check_password(request.password), "password", &mut errors);
        let role = request.role.unwrap_or_else(|| Role::Newcomer.as_str().to_owned());
        check(check_role_name(&role), "role", &mut errors);
        let (Some(username), Some(password), true) = (username, password, errors.is_empty()) else {
            return Err(ServiceError::Invalid(errors));
        };
        // Looked at before the password is hashed, and again with the change.
        {
            let mut change = self.context.change_by(&by).await?;
            check_role(&mut change, &by, &role).await?;
        }
        let password_hash = Some(self.passwords.hash(by.client.known(), password).await?);
        let accounts = self.clone();
        run_to_completion(&self.context.tasks, "user-create", async move {
            let context = &accounts.context;
            let now = context.now();
            let new = NewUser {
                id: context.ids.next(now),
                username_key: username_key(&username),
                username,
                display_name,
                password_hash,
                is_owner: false,
                is_guest: false,
                created_at: now,
            };
            let mut change = context.change_by(&by).await?;
            check_role(&mut change, &by, &role).await?;
            if !change.insert_user(&new).await? {
                return Err(name_taken());
            }
            change.assign_role(new.id, &role, now).await?;
            let made = change
                .account(new.id)
                .await?
                .ok_or_else(|| ServiceError::internal("the new account is gone"))?;
            let details = [("role", role)];
            let event = AuditEvent::UserCreated;
            change
                .audit(&context.audit_of(&by, event, Some(&made.user), &details))
                .await?;
            change.commit().await?;
            Ok(made)
        })
        .await
    }

    /// Changes an account: the caller's own, or another's.
    ///
    /// # Errors
    /// Not found; refused for an account that may do more than the caller, for the guest, and for disabling the
    /// owner or oneself; invalid input; conflict for a name that is taken; the store's.
    pub async fn update(&self, by: AuthContext, id: UserId, request: UpdateUser) -> Result<Account> {
        // A token tries no passwords, and gives nobody a way in that outlives it.
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
                return Err(ServiceError::Refused("nobody can disable themselves"));
            }
        }
        let checked = self.hashed(&by, &target.user, input).await?;
        let context = self.context.clone();
        run_to_completion(&self.context.tasks, "user-update", async move {
            apply(&context, &by, id, checked).await
        })
        .await
    }

    /// The change with its password hashed, if the password that it says was the old one is.
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
        })
    }
}

/// Whether the caller may make accounts with this role.
async fn check_role(change: &mut IdentityChange, by: &AuthContext, name: &str) -> Result<()> {
    let role = find_role(change, name).await?;
    let role = role.ok_or_else(|| ServiceError::unknown("role", "there is no such role"))?;
    require_assignable(by, &role)
}

/// A change that makes sense, whoever it is of.
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
    // The roles may have changed since they were looked at.
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
    // Whoever knew the old password, or was let in until now, is out; the caller stays.
    if checked.password_hash.is_some() || !new.enabled {
        change
            .revoke_sessions(id, by.actor.session(), context.now())
            .await?;
    }
    let account = change.account(id).await?.ok_or(ServiceError::NotFound)?;
    if changed.is_empty() {
        change.commit_of([id]).await?;
    } else {
        // Others are shown the name, and lists of who is enabled.
        change.commit().await?;
    }
    Ok(account)
}
