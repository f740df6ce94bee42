//! The audit log: reading it, and writing what the server does by itself.

use std::sync::Arc;

use crate::Details;
use crate::error::Result;
use svc_domain::audit::{AuditEntry, AuditEvent, AuditParty};
use svc_domain::id::{IdGenerator, UserId};
use svc_domain::list::{Listing, Order, Pagination};
use svc_domain::time::Clock;
use svc_store::{AuditRepository, UserRepository};

pub use svc_store::AuditFilter;

/// Reads the log.
#[derive(Debug, Clone)]
pub struct Audit {
    audit: AuditRepository,
}

impl Audit {
    /// Reads through this repository.
    pub fn new(audit: AuditRepository) -> Self {
        Self { audit }
    }

    /// Lines of the log.
    ///
    /// # Errors
    /// The store's.
    pub async fn list(
        &self,
        filter: &AuditFilter,
        page: Pagination,
        order: Order,
    ) -> Result<Listing<AuditEntry>> {
        Ok(self.audit.list_audit(filter, page, order).await?)
    }
}

/// Writes about what goes on in the background: nobody waits for its end, and it does not end for want of a line.
#[derive(Debug, Clone)]
pub struct BackgroundLog {
    audit: AuditRepository,
    users: UserRepository,
    ids: Arc<IdGenerator>,
    clock: Arc<dyn Clock>,
}

impl BackgroundLog {
    /// `users` gives the names of the accounts that entries are about.
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

    /// Writes a line about what somebody asked for, or nobody.
    pub async fn note(&self, event: AuditEvent, by: Option<UserId>, details: Details<'_>) {
        if let Err(error) = self.write(event, by, details).await {
            tracing::warn!(%error, event = event.as_str(), "audit entry could not be stored");
        }
    }

    async fn write(&self, event: AuditEvent, by: Option<UserId>, details: Details<'_>) -> Result<()> {
        let actor = match by {
            Some(id) => Some(AuditParty {
                id: Some(id),
                name: self.users.account(id).await?.map(|account| account.user.username),
            }),
            None => None,
        };
        let now = self.clock.now();
        let details = details.iter();
        let entry = AuditEntry {
            id: self.ids.next(now),
            at: now,
            times: 1,
            last_at: now,
            event,
            actor,
            target: None,
            address: None,
            details: details
                .map(|(key, value)| ((*key).to_owned(), value.clone()))
                .collect(),
        };
        Ok(self.audit.write_audit(&entry).await?)
    }
}
