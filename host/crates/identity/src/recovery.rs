//! Account recovery on the command line, with or without a running server. Read access to the data directory is the
//! only authorization.

use crate::account_input::check_password;
use crate::cloud_links::end_link;
use crate::error::{ErrorCode, Result, ServiceError};
use crate::names::username_key;
use crate::password::Passwords;
use crate::{ClientInfo, Context};
use svc_domain::audit::AuditEvent;
use svc_domain::list::{Order, Pagination};
use svc_domain::user::{Account, User};
use svc_store::{IdentityChange, UserRepository};

/// The detail that marks these entries in the audit log.
const COMMAND_LINE: (&str, &str) = ("by", "command line");

/// An account that was unlinked.
#[derive(Debug)]
pub struct UnlinkedUser {
    /// As it was before.
    pub user: User,
    /// Whether it can sign in without the cloud.
    pub has_password: bool,
}

/// The recovery service, which acts without an authenticated caller.
#[derive(Debug, Clone)]
pub struct Recovery {
    context: Context,
    users: UserRepository,
}

impl Recovery {
    /// Creates the service.
    pub fn new(context: Context, users: UserRepository) -> Self {
        Self { context, users }
    }

    /// All accounts, oldest first.
    ///
    /// # Errors
    /// Database errors.
    pub async fn accounts(&self) -> Result<Vec<Account>> {
        let mut accounts = Vec::new();
        loop {
            let page = Pagination {
                take: Pagination::MAX_TAKE,
                skip: accounts.len() as u64,
            };
            let listing = self.users.list_accounts(page, Order::Ascending).await?;
            if listing.items.is_empty() {
                return Ok(accounts);
            }
            accounts.extend(listing.items);
        }
    }

    async fn find(&self, username: &str) -> Result<User> {
        let found = self.users.user_for_login(&username_key(username)).await?;
        match found {
            Some((user, _)) if user.is_guest => {
                Err(ServiceError::Refused("the guest's account cannot be changed"))
            }
            Some((user, _)) => Ok(user),
            None => Err(ServiceError::NotFound),
        }
    }

    /// Sets an account's password and revokes its sessions, but not its personal access tokens.
    ///
    /// # Errors
    /// Not found; invalid; database errors.
    pub async fn set_password(
        &self,
        passwords: &Passwords,
        username: &str,
        password: String,
    ) -> Result<User> {
        let user = self.find(username).await?;
        let password =
            check_password(password).map_err(|message| ServiceError::invalid("password", message))?;
        let hash = passwords.hash(ClientInfo::default().known(), password).await?;
        let mut change = self.context.identity.change_identity().await?;
        change.set_password_hash(user.id, &hash).await?;
        change.revoke_sessions(user.id, None, self.context.now()).await?;
        self.commit(change, AuditEvent::PasswordChanged, &user).await?;
        Ok(user)
    }

    /// Makes an account the owner.
    ///
    /// # Errors
    /// Not found; conflict if another account is the owner and `replace` is false; database errors.
    pub async fn make_owner(&self, username: &str, replace: bool) -> Result<User> {
        let user = self.find(username).await?;
        let mut change = self.context.identity.change_identity().await?;
        if let Some(owner) = change.owner().await?
            && owner.user.id != user.id
            && !replace
        {
            let message = format!("`{}` is the owner", owner.user.username);
            return Err(ServiceError::conflict(ErrorCode::OwnerExists, message));
        }
        change.set_owner(user.id, self.context.now()).await?;
        self.commit(change, AuditEvent::OwnerChanged, &user).await?;
        Ok(user)
    }

    /// Unlinks an account from its cloud account, for a user who cannot do it: the cloud is away for good, or the server
    /// has none any more.
    ///
    /// # Errors
    /// Not found; refused for an account that is not linked; database errors.
    pub async fn unlink(&self, username: &str) -> Result<UnlinkedUser> {
        let user = self.find(username).await?;
        let mut change = self.context.identity.change_identity().await?;
        let account = change.account(user.id).await?.ok_or(ServiceError::NotFound)?;
        let ended = end_link(&mut change, &account.user, self.context.now()).await?;
        if ended.is_empty() {
            return Err(ServiceError::Refused(
                "the account is not linked to a cloud account",
            ));
        }
        let by = (COMMAND_LINE.0, COMMAND_LINE.1.to_owned());
        for (event, mut details) in ended {
            details.push(by.clone());
            let entry =
                self.context
                    .audit_entry(event, &ClientInfo::default(), None, Some(&account.user), &details);
            change.audit(&entry).await?;
        }
        let has_password = change.has_password(user.id).await?;
        change.commit().await?;
        Ok(UnlinkedUser { user, has_password })
    }

    async fn commit(&self, mut change: IdentityChange, event: AuditEvent, user: &User) -> Result<()> {
        let details = [(COMMAND_LINE.0, COMMAND_LINE.1.to_owned())];
        let entry = self
            .context
            .audit_entry(event, &ClientInfo::default(), None, Some(user), &details);
        change.audit(&entry).await?;
        Ok(change.commit().await?)
    }
}
