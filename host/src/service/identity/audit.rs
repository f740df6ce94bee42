//! Reading the audit log.

use super::super::error::Result;
use crate::domain::audit::AuditEntry;
use crate::domain::list::{Listing, Order, Page};
use crate::store::Store;

pub use crate::store::AuditFilter;

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
    pub async fn list(&self, filter: &AuditFilter, page: Page, order: Order) -> Result<Listing<AuditEntry>> {
        Ok(self.store.list_audit(filter, page, order).await?)
    }
}
