//! The audit log: reading it, and writing what the server does by itself.

use std::sync::Arc;

use crate::error::Result;
use crate::{Context, Details};
use svc_domain::audit::{AuditEntry, AuditEvent, AuditParty};
use svc_domain::id::{IdGenerator, UserId};
use svc_domain::list::{Listing, Order, Pagination};
use svc_domain::time::Clock;
use svc_store::Store;

pub use svc_store::AuditFilter;

/// Reads the log.
#[derive(Debug, Clone)]
pub struct Audit {
    store: Store,
}

impl Audit {
    /// The log of this store.
    pub fn new(store: Store) -> Self {
        Self { store }
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
        Ok(self.store.list_audit(filter, page, order).await?)
    }
}

/// Writes about what goes on in the background: nobody waits for its end, and it does not end for want of a line.
#[derive(Debug, Clone)]
pub struct BackgroundLog {
    store: Store,
    ids: Arc<IdGenerator>,
    clock: Arc<dyn Clock>,
}

impl BackgroundLog {
    /// Into the log of this store.
    pub fn new(store: Store, ids: Arc<IdGenerator>, clock: Arc<dyn Clock>) -> Self {
        Self { store, ids, clock }
    }

    /// Into the log of these accounts.
    pub fn of(context: &Context) -> Self {
        let Context {
            store, ids, clock, ..
        } = context;
        Self::new(store.clone(), Arc::clone(ids), Arc::clone(clock))
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
                name: self.store.account(id).await?.map(|account| account.user.username),
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
        Ok(self.store.write_audit(&entry).await?)
    }
}
