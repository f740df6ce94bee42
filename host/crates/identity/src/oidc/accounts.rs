//! The account of a user of the provider: found, created or linked, and given the roles of its groups.

use std::result::Result;

use tokio::time::Instant;

use crate::app::App;
use crate::capability::Capability;
use crate::cloud::{CloudAccount, CloudSession};
use crate::cloud_links::end_link;
use crate::cloud_users::add_cloud_user;
use crate::error::{ErrorCode, ServiceError};
use crate::invitations::Shortcode;
use crate::oidc::Oidc;
use crate::oidc::refusal::{Refusal, SignInError};
use crate::oidc::start::LinkTarget;
use crate::roles::find_role;
use crate::seats::require_free;
use crate::{ClientInfo, capabilities_of, run_to_completion};
use svc_domain::audit::AuditEvent;
use svc_domain::id::{SessionId, UserId};
use svc_domain::user::Account;
use svc_store::IdentityChange;

/// An outcome that passes through a task whose errors are those of services.
type Outcome<T> = Result<T, SignInError>;

impl Oidc {
    /// The account of a user, with its roles recomputed. An unknown user gets one by an invitation, or with the role for
    /// new accounts; for a known one the invitation is left alone. The provider is waited for until this time.
    ///
    /// # Errors
    /// Refused if there is none, or if it may not use the app.
    pub(super) async fn account_of(
        &self,
        user: &CloudAccount,
        shortcode: Option<&str>,
        app: App,
        client: &ClientInfo,
        until: Instant,
    ) -> Outcome<Account> {
        // A link that was followed before signs in whoever has used it.
        let claims = &self.parts.claims;
        if let Some(shortcode) = shortcode
            && !claims.has_account(user).await?
            && let Err(error) = self.claim(user, shortcode, app, client, until).await
            // A parallel sign-in of the same user may have used it.
            && !claims.has_account(user).await?
        {
            return Err(error);
        }
        let (this, user, client) = (self.clone(), user.clone(), client.clone());
        run_to_completion(&self.parts.context.tasks, "provider-account", async move {
            Ok(this.find_or_create(&user, app, &client).await)
        })
        .await?
    }

    async fn claim(
        &self,
        user: &CloudAccount,
        shortcode: &str,
        app: App,
        client: &ClientInfo,
        until: Instant,
    ) -> Outcome<()> {
        let shortcode = Shortcode::parse(shortcode).ok_or(Refusal::Invitation)?;
        let claimed = self
            .parts
            .claims
            .claim_with_account(&shortcode, user.clone(), app, client, until)
            .await;
        match claimed {
            Ok(_) => Ok(()),
            Err(error @ (ServiceError::TryLater(_) | ServiceError::Internal(_))) => Err(error.into()),
            Err(ServiceError::Conflict {
                code: ErrorCode::SeatsExhausted,
                ..
            }) => Err(Refusal::NoSeat.into()),
            Err(error) => {
                tracing::info!(%error, "the invitation of a sign-in was not used");
                Err(Refusal::Invitation.into())
            }
        }
    }

    async fn find_or_create(&self, user: &CloudAccount, app: App, client: &ClientInfo) -> Outcome<Account> {
        let context = &self.parts.context;
        let seats = self.parts.seats.known().await?;
        let mut change = context.identity.change_identity().await?;
        let found = change.account_by_cloud(&user.id).await?;
        let is_new = found.is_none();
        let account = match found {
            Some(account) => account,
            None => {
                // The server may have been reset while the provider was asked.
                if change.owner().await?.is_none() {
                    return Err(Refusal::NotSetUp.into());
                }
                require_free(&mut change, seats).await.map_err(refused_seat)?;
                self.create(&mut change, user, client).await?
            }
        };
        if !account.user.enabled {
            return Err(SignInError::RefusedUser(Refusal::Disabled, account.user.into()));
        }
        let id = account.user.id;
        self.follow_groups(&mut change, &account, user, client).await?;
        let account = read(&mut change, id).await?;
        let may_use = capabilities_of(&account).contains(app.login_capability());
        if !may_use && is_new {
            // Dropped: an account that may do nothing is not created.
            return Err(Refusal::AppNotPermitted.into());
        }
        change.commit_of([id]).await?;
        if may_use {
            Ok(account)
        } else {
            Err(SignInError::RefusedUser(
                Refusal::AppNotPermitted,
                account.user.into(),
            ))
        }
    }

    /// Creates an account with the role for new accounts.
    async fn create(
        &self,
        change: &mut IdentityChange,
        user: &CloudAccount,
        client: &ClientInfo,
    ) -> Outcome<Account> {
        let context = &self.parts.context;
        let role = self
            .parts
            .policy
            .default_role
            .as_deref()
            .ok_or(Refusal::UnknownAccount)?;
        let role = find_role(change, role).await?.filter(|role| role.assignable);
        let role = role.ok_or(Refusal::NoSuchRole)?;
        let id = add_cloud_user(context, change, user)
            .await?
            .ok_or(Refusal::NoUsername)?;
        change.assign_role(id, &role.name, context.now()).await?;
        let account = read(change, id).await?;
        let details = [("role", role.name), ("by", "provider".to_owned())];
        let entry = context.audit_entry(
            AuditEvent::UserCreated,
            client,
            None,
            Some(&account.user),
            &details,
        );
        change.audit(&entry).await?;
        Ok(account)
    }

    /// Gives an account exactly those of the managed roles that its groups have. Other roles stay.
    async fn follow_groups(
        &self,
        change: &mut IdentityChange,
        account: &Account,
        user: &CloudAccount,
        client: &ClientInfo,
    ) -> Outcome<()> {
        let context = &self.parts.context;
        let map = &self.parts.policy.role_map;
        let wanted = map.roles_of(&user.groups);
        for name in map.managed() {
            let has = account.roles.iter().any(|role| role.name == name);
            let event = match (has, wanted.contains(name)) {
                (false, true) => {
                    let role = find_role(change, name).await?.filter(|role| role.assignable);
                    let Some(role) = role else {
                        tracing::warn!(role = name, "oidc-role-map names a role that does not exist");
                        continue;
                    };
                    change
                        .assign_role_by_provider(account.user.id, &role.name, context.now())
                        .await?;
                    AuditEvent::RoleAssigned
                }
                (true, false) => {
                    change.unassign_role(account.user.id, name).await?;
                    AuditEvent::RoleUnassigned
                }
                _ => continue,
            };
            let details = [("role", name.to_owned()), ("by", "provider".to_owned())];
            let entry = context.audit_entry(event, client, None, Some(&account.user), &details);
            change.audit(&entry).await?;
        }
        Ok(())
    }

    /// Links the account of the session that asked for it. From now on the provider validates that session.
    pub(super) async fn link(
        &self,
        target: LinkTarget,
        session: CloudSession,
        client: ClientInfo,
    ) -> Outcome<()> {
        let this = self.clone();
        run_to_completion(&self.parts.context.tasks, "provider-link", async move {
            Ok(this.link_within(target, session, &client).await)
        })
        .await?
    }

    async fn link_within(
        &self,
        target: LinkTarget,
        session: CloudSession,
        client: &ClientInfo,
    ) -> Outcome<()> {
        let context = &self.parts.context;
        let (user, id): (UserId, SessionId) = (target.user.into(), target.session.into());
        let mut change = context.identity.change_identity().await?;
        let account = change.account(user).await?;
        let account = account.filter(|account| account.user.enabled && !account.user.is_guest);
        let account = account.ok_or(Refusal::LinkSession)?;
        if !capabilities_of(&account).contains(Capability::CurrentUserUpdate) {
            return Err(Refusal::LinkSession.into());
        }
        if !change.is_session_valid(id, user).await? {
            return Err(Refusal::LinkSession.into());
        }
        let other = change.account_by_cloud(&session.account.id).await?;
        let is_other = other.is_some_and(|other| other.user.id != user);
        let linked = account.user.cloud_account.as_deref();
        let is_linked = linked == Some(session.account.id.as_str());
        // A link to a service that is no longer configured signs nobody in; it is replaced.
        let holds = linked.is_some_and(|linked| session.account.shares_service_with(linked));
        if is_other || (holds && !is_linked) {
            return Err(Refusal::LinkTaken.into());
        }
        if !is_linked {
            let ended = end_link(&mut change, &account.user, context.now()).await?;
            for (event, details) in ended {
                let by = Some(&account.user);
                let entry = context.audit_entry(event, client, by, Some(&account.user), &details);
                change.audit(&entry).await?;
            }
            change.set_cloud_account(user, Some(&session.account.id)).await?;
            let details = [("cloudAccount", session.account.id.clone())];
            let entry = context.audit_entry(
                AuditEvent::CloudLinked,
                client,
                Some(&account.user),
                Some(&account.user),
                &details,
            );
            change.audit(&entry).await?;
        }
        self.parts
            .sessions
            .attach_provider(&mut change, id, &session)
            .await?;
        Ok(change.commit_of([user]).await?)
    }
}

fn refused_seat(error: ServiceError) -> SignInError {
    match error {
        ServiceError::Conflict {
            code: ErrorCode::SeatsExhausted,
            ..
        } => Refusal::NoSeat.into(),
        other => other.into(),
    }
}

async fn read(change: &mut IdentityChange, id: UserId) -> Outcome<Account> {
    let account = change.account(id).await?;
    Ok(account.ok_or_else(|| ServiceError::internal("an account cannot be read back"))?)
}
