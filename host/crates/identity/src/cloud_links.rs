//! Links local accounts to cloud accounts: one to one, and never by name or e-mail address.

use std::time::Duration;

use crate::actor::Actor;
use crate::cloud::CloudAccount;
use crate::cloud_accounts::CloudAccounts;
use crate::error::{ErrorCode, Result, ServiceError};
use crate::sessions::Sessions;
use crate::{AuthContext, ClientInfo, Context, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::time::Timestamp;
use svc_domain::user::{Account, User};
use svc_store::IdentityChange;

/// How long a client waits for its cloud account where it is not needed: apps show their first page after it.
const LOOKUP_TIME: Duration = Duration::from_secs(3);

/// The cloud account of a token that came with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresentedCloudAccount {
    /// The account.
    pub account: CloudAccount,
    /// Whether the caller's account is linked to it.
    pub linked: bool,
}

/// The service for links to cloud accounts.
#[derive(Debug, Clone)]
pub struct CloudLinks {
    context: Context,
    sessions: Sessions,
    cloud: CloudAccounts,
}

impl CloudLinks {
    /// Creates the service.
    pub fn new(context: Context, sessions: Sessions, cloud: CloudAccounts) -> Self {
        Self {
            context,
            sessions,
            cloud,
        }
    }

    /// Links the caller's account to the account of a cloud token.
    ///
    /// # Errors
    /// Invalid without a token; reauthentication required; unauthorized if the cloud rejects the token; try later if the
    /// cloud is away; conflict if either account is linked to another of this cloud; database errors.
    pub async fn link(&self, by: AuthContext, token: Option<&str>) -> Result<Account> {
        let token = token.ok_or_else(|| {
            ServiceError::invalid("Svc-Cloud-Token", "the header with the cloud token is missing")
        })?;
        self.require_person(&by).await?;
        let account = self.cloud.vouch(token, &by.client).await?;
        self.link_account(by, account).await
    }

    /// Links the caller's account to a cloud account for which the cloud vouched.
    ///
    /// # Errors
    /// As [`CloudLinks::link`].
    pub async fn link_account(&self, by: AuthContext, cloud: CloudAccount) -> Result<Account> {
        let context = self.context.clone();
        run_to_completion(&self.context.tasks, "cloud-link", async move {
            let user = by.actor.user.id;
            let mut change = context.change_by(&by).await?;
            let account = change.account(user).await?.ok_or(ServiceError::NotFound)?;
            match &account.user.cloud_account {
                // A client that lost the response asks again.
                Some(linked) if *linked == cloud.id => return Ok(account),
                Some(linked) if cloud.shares_service_with(linked) => return Err(already_linked()),
                // A link to a service that is no longer configured signs nobody in; it is replaced.
                _ => {}
            }
            if change.account_by_cloud(&cloud.id).await?.is_some() {
                return Err(taken());
            }
            let ended = end_link(&mut change, &account.user, context.now()).await?;
            record(&context, &mut change, &by, &account.user, ended).await?;
            change.set_cloud_account(user, Some(&cloud.id)).await?;
            let details = [("cloudAccount", cloud.id)];
            let entry = context.audit_of(&by, AuditEvent::CloudLinked, Some(&account.user), &details);
            change.audit(&entry).await?;
            let linked = change.account(user).await?.ok_or(ServiceError::NotFound)?;
            change.commit_of([user]).await?;
            Ok(linked)
        })
        .await
    }

    /// Unlinks the caller's account, which ends the sessions that its cloud account signed in and takes the roles that
    /// followed its groups.
    ///
    /// # Errors
    /// Reauthentication required; not found if the account is not linked; conflict if it has no password to sign in with
    /// afterwards; database errors.
    pub async fn unlink(&self, by: AuthContext) -> Result<Account> {
        if by.actor.user.cloud_account.is_none() {
            return Err(ServiceError::NotFound);
        }
        self.require_person(&by).await?;
        let context = self.context.clone();
        run_to_completion(&self.context.tasks, "cloud-unlink", async move {
            let user = by.actor.user.id;
            let mut change = context.change_by(&by).await?;
            let account = change.account(user).await?.ok_or(ServiceError::NotFound)?;
            if account.user.cloud_account.is_none() {
                return Err(ServiceError::NotFound);
            }
            if !change.has_password(user).await? {
                return Err(no_password());
            }
            let ended = end_link(&mut change, &account.user, context.now()).await?;
            record(&context, &mut change, &by, &account.user, ended).await?;
            let unlinked = change.account(user).await?.ok_or(ServiceError::NotFound)?;
            change.commit_of([user]).await?;
            Ok(unlinked)
        })
        .await
    }

    /// The cloud account of a token that a caller sent along; `None` if it is invalid, or the cloud does not answer soon.
    /// A personal access token never asks the cloud.
    pub async fn presented(
        &self,
        caller: &Actor,
        token: Option<&str>,
        client: &ClientInfo,
    ) -> Option<PresentedCloudAccount> {
        if !caller.is_signed_in() {
            return None;
        }
        let answer = tokio::time::timeout(LOOKUP_TIME, self.cloud.vouch(token?, client)).await;
        let account = answer.ok()?.ok()?;
        Some(PresentedCloudAccount {
            linked: caller.user.cloud_account.as_ref() == Some(&account.id),
            account,
        })
    }

    /// Fails for the guest, who is many people, and without a recent sign-in.
    ///
    /// # Errors
    /// Refused for the guest; reauthentication required; database errors.
    pub async fn require_person(&self, by: &AuthContext) -> Result<()> {
        if by.actor.user.is_guest {
            return Err(ServiceError::Refused("the guest's account cannot be linked"));
        }
        self.sessions.require_recent_sign_in(by).await
    }
}

/// Events with their details.
pub(crate) type LinkEvents = Vec<(AuditEvent, Vec<(&'static str, String)>)>;

/// Ends the link of an account with all that depends on it: the sessions that the cloud account signed in, and the roles
/// that followed its groups. Returns what the audit log is to say; nothing for an account that is not linked.
pub(crate) async fn end_link(change: &mut IdentityChange, user: &User, now: Timestamp) -> Result<LinkEvents> {
    let Some(linked) = user.cloud_account.clone() else {
        return Ok(Vec::new());
    };
    change.set_cloud_account(user.id, None).await?;
    let ended = change.revoke_cloud_sessions(user.id, now).await?;
    let details = vec![("cloudAccount", linked), ("sessions", ended.to_string())];
    let mut events = vec![(AuditEvent::CloudUnlinked, details)];
    for role in change.unassign_roles_by_provider(user.id).await? {
        events.push((AuditEvent::RoleUnassigned, vec![("role", role)]));
    }
    Ok(events)
}

async fn record(
    context: &Context,
    change: &mut IdentityChange,
    by: &AuthContext,
    user: &User,
    events: LinkEvents,
) -> Result<()> {
    for (event, details) in events {
        let entry = context.audit_of(by, event, Some(user), &details);
        change.audit(&entry).await?;
    }
    Ok(())
}

fn already_linked() -> ServiceError {
    ServiceError::conflict(
        ErrorCode::AlreadyLinked,
        "your account is linked to another cloud account; unlink that first",
    )
}

fn taken() -> ServiceError {
    ServiceError::conflict(
        ErrorCode::CloudAccountTaken,
        "another account is linked to this cloud account",
    )
}

fn no_password() -> ServiceError {
    ServiceError::conflict(
        ErrorCode::PasswordMissing,
        "your account has no password to sign in with; set one first",
    )
}
