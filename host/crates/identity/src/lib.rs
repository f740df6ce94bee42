//! Accounts and access: sign-in, sessions, tokens, roles and capabilities, throttling, the audit log, the settings.
//!
//! May use `svc-domain`, `svc-platform` and `svc-store`. Knows no HTTP.
//!
//! To add a capability: a line in `capability.rs`, the roles that grant it in `policy.rs`, and the pinned table
//! `policy.txt`. A change of accounts goes through `Context::change_by`, which checks the caller again inside the
//! transaction and writes the audit line with it.

pub mod access_token;
pub mod accounts;
pub mod activity;
pub mod actor;
pub mod app;
pub mod audit;
pub mod authentication;
mod authority;
pub mod capability;
pub mod cloud;
pub mod credential;
pub mod error;
pub mod fair_semaphore;
pub mod item_link;
pub mod keys;
pub mod login;
pub mod names;
pub mod origins;
pub mod password;
pub mod policy;
pub mod rate_limiter;
pub mod recovery;
pub mod role;
pub mod roles;
pub mod secret_token;
pub mod sessions;
pub mod settings;
pub mod setup;
pub mod throttle;
pub mod tokens;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use crate::actor::Actor;
use crate::capability::CapabilitySet;
use crate::error::{Result, ServiceError};
use crate::fair_semaphore::PermitRequest;
use svc_domain::audit::{AuditEntry, AuditEvent, AuditParty};
use svc_domain::id::IdGenerator;
use svc_domain::time::{Clock, Timestamp};
use svc_domain::user::{Account, User};
use svc_platform::random::Random;
use svc_platform::tasks::Tasks;
use svc_store::IdentityRepository;

/// What every service about accounts works with.
#[derive(Debug, Clone)]
pub struct Context {
    /// Starts changes of accounts.
    pub identity: IdentityRepository,
    /// Makes ids.
    pub ids: Arc<IdGenerator>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Gives secrets.
    pub random: Arc<dyn Random>,
    /// Carries changes to their end.
    pub tasks: Tasks,
}

/// The program at the other end, as far as it can be told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClientInfo {
    /// Its address, behind proxies that are trusted.
    pub address: Option<IpAddr>,
    /// What it calls itself.
    pub user_agent: Option<String>,
}

impl ClientInfo {
    /// Its place where passwords are hashed, of somebody who is known.
    pub fn known(&self) -> PermitRequest {
        PermitRequest {
            network: self.address.into(),
            known: true,
        }
    }
}

/// Who asks for something, and from where.
#[derive(Debug, Clone)]
pub struct AuthContext {
    /// The caller.
    pub actor: Arc<Actor>,
    /// Their client.
    pub client: ClientInfo,
}

/// Details of a line of the audit log.
pub type Details<'a> = &'a [(&'a str, String)];

impl Context {
    /// The moment it is.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A line of the audit log.
    pub fn audit_entry(
        &self,
        event: AuditEvent,
        client: &ClientInfo,
        actor: Option<&User>,
        target: Option<&User>,
        details: Details<'_>,
    ) -> AuditEntry {
        let now = self.now();
        let details = details.iter();
        AuditEntry {
            id: self.ids.next(now),
            at: now,
            times: 1,
            last_at: now,
            event,
            actor: actor.map(party),
            target: target.map(party),
            address: client.address.map(|address| address.to_string()),
            details: details
                .map(|(key, value)| ((*key).to_owned(), value.clone()))
                .collect::<BTreeMap<_, _>>(),
        }
    }

    /// A line of the audit log about what a known caller does.
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

fn party(user: &User) -> AuditParty {
    AuditParty {
        id: Some(user.id),
        name: Some(user.username.clone()),
    }
}

/// What an account may do.
pub fn capabilities_of(account: &Account) -> CapabilitySet {
    policy::capabilities_of_roles(&account.roles)
}

/// Refuses to act on an account that may do something which the caller may not.
fn require_not_stronger(by: &AuthContext, target: &Account) -> Result<()> {
    if by.actor.covers(capabilities_of(target)) {
        Ok(())
    } else {
        Err(ServiceError::Refused("this account may do more than you"))
    }
}

/// Runs a change to its end, whether or not somebody still waits for it; the end of the server does.
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
