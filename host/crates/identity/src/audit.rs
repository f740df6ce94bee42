//! The audit log: reading it, and writing entries of background work.

use std::sync::Arc;

use crate::error::Result;
use svc_domain::audit::{AuditAccount, AuditEntry, AuditEvent};
use svc_domain::id::{IdGenerator, UserId};
use svc_domain::list::{Listing, Order, Pagination};
use svc_domain::time::{Clock, Timestamp};
use svc_store::{AuditRepository, UserRepository};

pub use svc_store::AuditFilter;

/// Key-value details of an audit entry.
pub type Details<'a> = &'a [(&'a str, String)];

/// An entry about something that happens now, without actor, target and address.
pub(crate) fn new_entry(
    ids: &IdGenerator,
    now: Timestamp,
    event: AuditEvent,
    details: Details<'_>,
) -> AuditEntry {
    let details = details.iter();
    AuditEntry {
        id: ids.next(now),
        at: now,
        times: 1,
        last_at: now,
        event,
        actor: None,
        target: None,
        address: None,
        details: details
            .map(|(key, value)| ((*key).to_owned(), value.clone()))
            .collect(),
    }
}

/// Read access to the audit log.
#[derive(Debug, Clone)]
pub struct Audit {
    audit: AuditRepository,
}

impl Audit {
    /// Creates the service.
    pub fn new(audit: AuditRepository) -> Self {
        Self { audit }
    }

    /// Lists entries.
    pub async fn list(
        &self,
        filter: &AuditFilter,
        page: Pagination,
        order: Order,
    ) -> Result<Listing<AuditEntry>> {
        Ok(self.audit.list_audit(filter, page, order).await?)
    }
}

/// Writes entries of background work. A failed write is logged and does not stop the work.
#[derive(Debug, Clone)]
pub struct BackgroundLog {
    audit: AuditRepository,
    users: UserRepository,
    ids: Arc<IdGenerator>,
    clock: Arc<dyn Clock>,
}

impl BackgroundLog {
    /// Creates a log; `users` supplies the names of the accounts in its entries.
    pub fn new(
        audit: AuditRepository,
        users: UserRepository,
        ids: Arc<IdGenerator>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            audit,
            users,
            ids,
            clock,
        }
    }

    /// Writes an entry; `by` is the account that caused it, if any.
    pub async fn record(&self, event: AuditEvent, by: Option<UserId>, details: Details<'_>) {
        if let Err(error) = self.write(event, by, details).await {
            tracing::warn!(%error, event = event.as_str(), "audit entry could not be stored");
        }
    }

    async fn write(&self, event: AuditEvent, by: Option<UserId>, details: Details<'_>) -> Result<()> {
        let actor = match by {
            Some(id) => Some(AuditAccount {
                id: Some(id),
                name: self.users.account(id).await?.map(|account| account.user.username),
            }),
            None => None,
        };
        let entry = AuditEntry {
            actor,
            ..new_entry(&self.ids, self.clock.now(), event, details)
        };
        Ok(self.audit.write_audit(&entry).await?)
    }
}
