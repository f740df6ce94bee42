//! Creates, updates and lists accounts.

mod update;

use std::time::Duration;

use crate::account_input::{check, check_password, name_taken};
use crate::activity::ActivityLog;
use crate::error::{Result, ServiceError};
use crate::login::Logins;
use crate::names::{check_display_name, check_role_name, check_username, username_key};
use crate::password::Passwords;
use crate::role::Role;
use crate::roles::{find_role, require_assignable};
use crate::seats::{Seats, require_free};
use crate::{AuthContext, Context, earlier, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;
use svc_domain::list::{Listing, Order, Pagination};
use svc_domain::user::{Account, User};
use svc_store::{IdentityChange, NewUser, UserRepository};

pub use update::UpdateUser;

/// An account that was used within this time counts as active. Equals the lifetime of an access token.
const ACTIVE: Duration = Duration::from_secs(15 * 60);

/// Input of [`Accounts::create`].
#[derive(Debug)]
pub struct CreateUser {
    /// Login name.
    pub username: String,
    /// Plain text; hashed before it is stored.
    pub password: String,
    /// The name that apps show, if it differs from the username.
    pub display_name: Option<String>,
    /// Name of a role; `newcomer` if `None`.
    pub role: Option<String>,
}

/// The accounts service.
#[derive(Debug, Clone)]
pub struct Accounts {
    context: Context,
    users: UserRepository,
    passwords: Passwords,
    logins: Logins,
    activity: ActivityLog,
    seats: Seats,
}

impl Accounts {
    /// Creates the service.
    pub fn new(
        context: Context,
        users: UserRepository,
        passwords: Passwords,
        logins: Logins,
        activity: ActivityLog,
        seats: Seats,
    ) -> Self {
        Self {
            context,
            users,
            passwords,
            logins,
            activity,
            seats,
        }
    }

    /// Lists accounts by creation time.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list(&self, page: Pagination, order: Order) -> Result<Listing<Account>> {
        Ok(self.users.list_accounts(page, order).await?)
    }

    /// An account.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn get(&self, id: UserId) -> Result<Account> {
        self.users.account(id).await?.ok_or(ServiceError::NotFound)
    }

    /// The owner, if there is one.
    ///
    /// # Errors
    /// Database errors.
    pub async fn owner(&self) -> Result<Option<Account>> {
        Ok(self.users.owner().await?)
    }

    /// Enabled accounts, by name.
    ///
    /// # Errors
    /// Database errors.
    pub async fn enabled(&self) -> Result<Vec<User>> {
        Ok(self.users.enabled_users(None).await?)
    }

    /// Enabled accounts that were used within the last fifteen minutes.
    ///
    /// # Errors
    /// Database errors.
    pub async fn active(&self) -> Result<Vec<User>> {
        self.activity.write(&self.users).await?;
        let since = earlier(self.context.now(), ACTIVE);
        Ok(self.users.enabled_users(Some(since)).await?)
    }

    /// Creates an account.
    ///
    /// # Errors
    /// Invalid input or role; refused for a role that cannot be assigned or that has capabilities the caller lacks;
    /// conflict for a name in use and without a free seat; database errors.
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
        // Checked before the password is hashed, and again inside the transaction.
        {
            let mut change = self.context.change_by(&by).await?;
            check_role(&mut change, &by, &role).await?;
        }
        let password_hash = Some(self.passwords.hash(by.client.known(), password).await?);
        let seats = self.seats.known().await?;
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
            require_free(&mut change, seats).await?;
            if !change.insert_user(&new).await? {
                return Err(name_taken());
            }
            change.assign_role(new.id, &role, now).await?;
            let made = change
                .account(new.id)
                .await?
                .ok_or_else(|| ServiceError::internal("the new account cannot be read back"))?;
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
}

/// Checks that the caller may create accounts with this role.
async fn check_role(change: &mut IdentityChange, by: &AuthContext, name: &str) -> Result<()> {
    let role = find_role(change, name).await?;
    let role = role.ok_or_else(|| ServiceError::unknown("role", "there is no such role"))?;
    require_assignable(by, &role)
}
