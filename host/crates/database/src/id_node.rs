//! The id node of this server, whose lease every commit checks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::args::args;
use crate::error::{Result, StoreError};
use crate::transaction::Tx;
use svc_domain::id::IdGenerator;
use svc_domain::time::{Clock, Timestamp};

/// Duration of a lease. Short, so that a server that is killed and restarted repeatedly does not use up all nodes.
const LEASE: Duration = Duration::from_secs(5 * 60);

/// The leased id node of this server.
#[derive(Debug)]
pub struct IdNode {
    node: u8,
    /// Unique name of this server.
    holder: String,
    ids: Arc<IdGenerator>,
    clock: Arc<dyn Clock>,
    /// Set when another server took over the node, or when it was released.
    is_lost: AtomicBool,
}

/// The end of a lease that starts at this moment.
pub fn lease_from(moment: Timestamp) -> Timestamp {
    let lease = i64::try_from(LEASE.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(moment.millis().saturating_add(lease))
}

impl IdNode {
    /// A node that this server holds.
    pub fn new(node: u8, holder: String, ids: Arc<IdGenerator>, clock: Arc<dyn Clock>) -> Self {
        Self {
            node,
            holder,
            ids,
            clock,
            is_lost: AtomicBool::new(false),
        }
    }

    /// Checks that the ids in `tx` are covered by the lease. Returns the new end of the lease if it had to be
    /// extended, which takes effect once `tx` is committed.
    pub async fn ensure_lease(&self, tx: &mut Tx) -> Result<Option<Timestamp>> {
        if self.is_lost.load(Ordering::Acquire) {
            return Err(StoreError::IdNodeLost(self.node));
        }
        if self.ids.is_covered() {
            return Ok(None);
        }
        self.extend(tx).await.map(Some)
    }

    /// Extends the lease from now or from the last generated id, whichever is later.
    pub async fn extend(&self, tx: &mut Tx) -> Result<Timestamp> {
        let until = lease_from(self.clock.now().max(self.ids.last_moment()));
        let extended = tx
            .execute(
                "UPDATE id_nodes SET expires_at = $1 WHERE node = $2 AND holder = $3",
                &args![until, i64::from(self.node), self.holder.as_str()],
            )
            .await?;
        if extended == 0 {
            self.is_lost.store(true, Ordering::Release);
            tracing::error!(
                node = self.node,
                "another server took over the id node lease; writes are rejected until a restart"
            );
            return Err(StoreError::IdNodeLost(self.node));
        }
        Ok(until)
    }

    /// Makes a committed end of the lease known.
    pub fn extended(&self, until: Timestamp) {
        self.ids.extend(until);
    }

    /// Ends the lease after the last generated id, where the next holder starts.
    pub async fn release(&self, tx: &mut Tx) -> Result<()> {
        let last = Timestamp::from_millis(self.ids.last_moment().millis().saturating_add(1));
        let values = args![
            self.clock.now().max(last),
            i64::from(self.node),
            self.holder.as_str()
        ];
        tx.execute(
            "UPDATE id_nodes SET expires_at = $1 WHERE node = $2 AND holder = $3",
            &values,
        )
        .await
        .map(drop)
    }

    /// Later commits fail.
    pub fn released(&self) {
        self.is_lost.store(true, Ordering::Release);
    }
}
