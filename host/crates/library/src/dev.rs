//! Operations for automated tests of clients, without authorization; only in development mode.

use std::sync::Arc;

use serde_json::Value;

use crate::libraries::{Libraries, NewLibrary};
use crate::reset::Reset;
use svc_domain::id::{LibraryId, UserId};
use svc_domain::user::{Account, RoleAssignment};
use svc_identity::account_input::{check_password, name_taken};
use svc_identity::app::App;
use svc_identity::error::{Result, ServiceError};
use svc_identity::invitations::claims::Claims;
use svc_identity::names::{check_username, username_key};
use svc_identity::password::Passwords;
use svc_identity::role::Role;
use svc_identity::setup::{Setup, SetupRequest};
use svc_identity::{ClientInfo, Context};
use svc_store::{NewUser, UserRepository};

/// Default username and password of [`Dev::first_time_setup`].
const OWNER: (&str, &str) = ("owner", "password");

/// The service for tests of clients.
#[derive(Clone)]
pub struct Dev {
    /// Ids, clock, randomness and tasks.
    pub context: Context,
    /// Accounts.
    pub users: UserRepository,
    /// Libraries.
    pub libraries: Libraries,
    /// Hashes passwords.
    pub passwords: Passwords,
    /// Attempts to use invitations.
    pub claims: Claims,
    /// The first run.
    pub setup: Setup,
    /// Factory reset.
    pub reset: Reset,
    /// Looks up an option of the server by its name in the TOML file.
    pub option: Arc<dyn Fn(&str) -> Option<Value> + Send + Sync>,
    /// Required by the setup, if configured.
    pub setup_token: Option<String>,
}

impl std::fmt::Debug for Dev {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dev").finish_non_exhaustive()
    }
}

impl Dev {
    /// A setting of the server, or of the owner, for an app.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn setting(&self, app: App, key: &str) -> Result<Value> {
        let owner = self.users.owner().await?.map(|owner| owner.user.id);
        let user = owner.unwrap_or(UserId::from(0));
        let settings = self.reset.settings.of_app(app, user).await?;
        settings.get(key).cloned().ok_or(ServiceError::NotFound)
    }

    /// Looks up an option of the server by its name in the TOML file.
    ///
    /// # Errors
    /// Not found.
    pub fn option(&self, name: &str) -> Result<Value> {
        (self.option)(name).ok_or(ServiceError::NotFound)
    }

    /// Completes the setup; returns username and password of the owner.
    ///
    /// # Errors
    /// As [`Setup::complete`].
    pub async fn first_time_setup(
        &self,
        username: Option<String>,
        password: Option<String>,
    ) -> Result<(String, String)> {
        let username = username.unwrap_or_else(|| OWNER.0.to_owned());
        let password = password.unwrap_or_else(|| OWNER.1.to_owned());
        self.setup
            .complete(SetupRequest {
                username: username.clone(),
                password: password.clone(),
                server_name: None,
                settings: serde_json::Map::new(),
                setup_token: self.setup_token.clone(),
                client: ClientInfo::default(),
            })
            .await?;
        Ok((username, password))
    }

    /// Creates an account with a role.
    ///
    /// # Errors
    /// Invalid input; conflict for a name in use; database errors.
    pub async fn create_user(&self, username: &str, password: String, role: &str) -> Result<Account> {
        let username =
            check_username(username).map_err(|message| ServiceError::invalid("username", message))?;
        let password =
            check_password(password).map_err(|message| ServiceError::invalid("password", message))?;
        let now = self.context.now();
        let new = NewUser {
            id: self.context.ids.next(now),
            username_key: username_key(&username),
            username,
            display_name: None,
            password_hash: Some(
                self.passwords
                    .hash(ClientInfo::default().known(), password)
                    .await?,
            ),
            is_owner: false,
            is_guest: false,
            created_at: now,
        };
        let mut change = self.context.identity.change_identity().await?;
        if !change.insert_user(&new).await? {
            return Err(name_taken());
        }
        let role = known_role(role)?;
        change.assign_role(new.id, role.as_str(), now).await?;
        let made = change.account(new.id).await?.ok_or(ServiceError::NotFound)?;
        change.commit().await?;
        Ok(made)
    }

    /// Deletes an account; `false` if it does not exist.
    ///
    /// # Errors
    /// Refused for owner and guest; database errors.
    pub async fn delete_user(&self, id: UserId) -> Result<bool> {
        let mut change = self.context.identity.change_identity().await?;
        if let Some(account) = change.account(id).await?
            && (account.user.is_owner || account.user.is_guest)
        {
            return Err(ServiceError::Refused("the owner and the guest cannot be deleted"));
        }
        let deleted = change.delete_user(id).await?;
        change.commit().await?;
        Ok(deleted)
    }

    /// Assigns a built-in role.
    ///
    /// # Errors
    /// Invalid role; not found; database errors.
    pub async fn grant_role(&self, user: UserId, role: &str) -> Result<RoleAssignment> {
        let role = known_role(role)?;
        let mut change = self.context.identity.change_identity().await?;
        change.account(user).await?.ok_or(ServiceError::NotFound)?;
        let (assignment, _) = change
            .assign_role(user, role.as_str(), self.context.now())
            .await?;
        change.commit().await?;
        Ok(assignment)
    }

    /// Removes a role from an account; `false` if it was not assigned.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn revoke_role(&self, user: UserId, role: &str) -> Result<bool> {
        let mut change = self.context.identity.change_identity().await?;
        change.account(user).await?.ok_or(ServiceError::NotFound)?;
        let taken = change.unassign_role(user, role).await?.is_some();
        change.commit().await?;
        Ok(taken)
    }

    /// Creates a library that is open to all.
    ///
    /// # Errors
    /// As [`Libraries::create`].
    pub async fn create_library(&self, name: String, kind: String, paths: Vec<String>) -> Result<LibraryId> {
        let new = NewLibrary {
            name,
            kind,
            paths,
            grants: Vec::new(),
        };
        Ok(self.libraries.create(None, new).await?.library.id)
    }

    /// Deletes a library; `false` if it does not exist.
    ///
    /// # Errors
    /// Database errors.
    pub async fn delete_library(&self, id: LibraryId) -> Result<bool> {
        match self.libraries.delete(None, id).await {
            Ok(()) => Ok(true),
            Err(ServiceError::NotFound) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// Parses an assignable built-in role.
fn known_role(name: &str) -> Result<Role> {
    Role::from_name(name)
        .filter(|role| role.is_assignable())
        .ok_or_else(|| ServiceError::invalid("role", "there is no such assignable role"))
}
