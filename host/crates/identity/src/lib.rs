//! Accounts and access: sign-in, sessions, tokens, invitations, roles and capabilities, throttling, the audit log, settings.
//!
//! May use `svc-domain`, `svc-platform` and `svc-store`. It does not depend on HTTP.
//!
//! To add a capability: a line in `capability.rs`, the roles that grant it in `policy.rs`, and the pinned table
//! `policy.txt`. To change accounts, use `Context::change_by`, which repeats the authorization inside the transaction
//! and writes the audit entry with it.

pub mod access_token;
pub mod account_input;
pub mod accounts;
pub mod activity;
pub mod actor;
pub mod app;
pub mod audit;
pub mod authentication;
mod authority;
pub mod capability;
pub mod cloud;
pub mod cloud_accounts;
pub mod cloud_credential;
pub mod cloud_links;
mod cloud_users;
pub mod credential;
pub mod device_sign_in;
pub mod error;
pub mod fair_semaphore;
pub mod invitation_observer;
pub mod invitations;
pub mod item_link;
pub mod keys;
pub mod login;
pub mod names;
pub mod oidc;
pub mod origins;
pub mod password;
pub mod policy;
pub mod rate_limiter;
pub mod recovery;
pub mod refused_sign_ins;
pub mod role;
pub mod roles;
pub mod seats;
pub mod secret_token;
pub mod sessions;
pub mod settings;
pub mod setup;
pub mod throttle;
pub mod tokens;
pub mod typed_code;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::actor::Actor;
use crate::audit::Details;
use crate::capability::CapabilitySet;
use crate::error::{Result, ServiceError};
use crate::fair_semaphore::PermitRequest;
use svc_domain::audit::{AuditAccount, AuditEntry, AuditEvent};
use svc_domain::id::IdGenerator;
use svc_domain::time::{Clock, Timestamp};
use svc_domain::user::{Account, User};
use svc_platform::random::Random;
use svc_platform::tasks::Tasks;
use svc_store::IdentityRepository;

/// Dependencies of all identity services.
#[derive(Debug, Clone)]
pub struct Context {
    /// Opens changes of accounts.
    pub identity: IdentityRepository,
    /// Generates ids.
    pub ids: Arc<IdGenerator>,
    /// The injected clock.
    pub clock: Arc<dyn Clock>,
    /// Generates secrets.
    pub random: Arc<dyn Random>,
    /// Runs changes to completion.
    pub tasks: Tasks,
}

/// What is known about the client program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientInfo {
    /// Its IP address, after trusted proxies.
    pub address: Option<IpAddr>,
    /// The header `User-Agent`.
    pub user_agent: Option<String>,
}

impl ClientInfo {
    /// A request for a hashing permit on behalf of a known user.
    pub fn known(&self) -> PermitRequest {
        PermitRequest {
            network: self.address.into(),
            known: true,
        }
    }
}

/// The principal of an operation, with its client.
#[derive(Debug, Clone)]
pub struct AuthContext {
    /// The authenticated caller.
    pub actor: Arc<Actor>,
    /// The client program.
    pub client: ClientInfo,
}

impl Context {
    /// The current time of the injected clock.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Builds an audit entry.
    pub fn audit_entry(
        &self,
        event: AuditEvent,
        client: &ClientInfo,
        actor: Option<&User>,
        target: Option<&User>,
        details: Details<'_>,
    ) -> AuditEntry {
        AuditEntry {
            actor: actor.map(audit_account),
            target: target.map(audit_account),
            address: client.address.map(|address| address.to_string()),
            ..audit::new_entry(&self.ids, self.now(), event, details)
        }
    }

    /// Builds an audit entry for an authenticated caller.
    pub fn audit_of(
        &self,
        by: &AuthContext,
        event: AuditEvent,
        target: Option<&User>,
        details: Details<'_>,
    ) -> AuditEntry {
        self.audit_entry(event, &by.client, Some(&by.actor.user), target, details)
    }
}

fn audit_account(user: &User) -> AuditAccount {
    AuditAccount {
        id: Some(user.id),
        name: Some(user.username.clone()),
    }
}

/// The capabilities of an account's roles.
pub fn capabilities_of(account: &Account) -> CapabilitySet {
    policy::capabilities_of_roles(&account.roles)
}

/// Refuses to act on an account with capabilities that the caller lacks.
fn require_not_stronger(by: &AuthContext, target: &Account) -> Result<()> {
    if by.actor.covers(capabilities_of(target)) {
        Ok(())
    } else {
        Err(ServiceError::Refused(
            "this account has permissions that you lack",
        ))
    }
}

/// A moment after another.
pub(crate) fn later(moment: Timestamp, by: Duration) -> Timestamp {
    Timestamp::from_millis(moment.millis().saturating_add(millis(by)))
}

/// A moment before another.
pub(crate) fn earlier(moment: Timestamp, by: Duration) -> Timestamp {
    Timestamp::from_millis(moment.millis().saturating_sub(millis(by)))
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Runs a change to completion even if the request is cancelled. Only a shutdown of the server aborts it.
pub async fn run_to_completion<T: Send + 'static>(
    tasks: &Tasks,
    name: &'static str,
    change: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    tasks
        .spawn(name, change)
        .await
        .unwrap_or_else(|error| Err(ServiceError::internal(error)))
}
