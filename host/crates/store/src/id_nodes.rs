//! Id nodes: numbers that keep the ids of several servers on one database apart. A server leases one, and every
//! commit checks the lease.
//!
//! A lease ends at a moment of id time. The next holder starts at a moment of its own clock that is not before that
//! end, so their ids differ even if their clocks do. A server that generated an id beyond its lease, because it slept
//! or its clock was set, extends the lease in the transaction that stores the id; if another server has the node by
//! then, the commit fails.

use std::sync::Arc;
use std::time::Duration;

use crate::db::Database;
use svc_database::args::args;
use svc_database::id_node::{IdNode, lease_from};
use svc_database::write_queue::WritePriority;
use svc_database::{Result, StoreError};
use svc_domain::id::IdGenerator;
use svc_domain::time::Clock;

/// Interval of renewal: one renewal may fail.
pub const RENEW_EVERY: Duration = Duration::from_secs(2 * 60);

/// Leases of id nodes.
#[derive(Debug, Clone)]
pub struct IdNodeRepository {
    pub(crate) db: Database,
}

impl IdNodeRepository {
    /// Leases an id node for the server with this unique name and returns its id generator. Every later commit checks
    /// the lease.
    ///
    /// # Errors
    /// [`StoreError::NoIdNode`] if every node is leased.
    pub async fn lease_id_node(&self, clock: Arc<dyn Clock>, holder: String) -> Result<Arc<IdGenerator>> {
        let mut tx = self.db.write_queue().begin_alone(self.db.pools()).await?;
        let now = clock.now();
        let until = lease_from(now);
        let free: Vec<(i64,)> = tx
            .fetch_all(
                "SELECT node FROM id_nodes WHERE expires_at <= $1 ORDER BY expires_at, node LIMIT 1",
                &args![now],
            )
            .await?;
        let taken: Vec<(i64,)> = tx.fetch_all("SELECT count(*) FROM id_nodes", &[]).await?;
        let new = taken.first().map_or(0, |(count,)| *count);
        let node = free.first().map_or(new, |(node,)| *node);
        let number = u8::try_from(node).map_err(|_| StoreError::NoIdNode)?;
        tx.execute(
            "INSERT INTO id_nodes (node, holder, expires_at) VALUES ($1, $2, $3) \
             ON CONFLICT (node) DO UPDATE SET holder = $2, expires_at = $3",
            &args![node, holder.as_str(), until],
        )
        .await?;
        tx.commit().await?;
        let ids = Arc::new(IdGenerator::leased(number, until));
        let leased = IdNode::new(number, holder, Arc::clone(&ids), clock);
        self.db.write_queue().set_id_node(leased);
        Ok(ids)
    }

    /// Extends the lease of this server, if it has one.
    ///
    /// # Errors
    /// [`StoreError::IdNodeLost`] if another server took over the node.
    pub async fn renew_id_node(&self) -> Result<()> {
        let Some(node) = self.db.write_queue().id_node() else {
            return Ok(());
        };
        let mut tx = self
            .db
            .write_queue()
            .begin(self.db.pools(), WritePriority::Scan)
            .await?;
        let until = node.extend(&mut tx).await?;
        tx.commit().await?;
        node.extended(until);
        Ok(())
    }

    /// Releases the node at shutdown: the next server may lease it at once. Later writes fail.
    ///
    /// # Errors
    /// Database errors.
    pub async fn release_id_node(&self) -> Result<()> {
        let Some(node) = self.db.write_queue().id_node() else {
            return Ok(());
        };
        let mut tx = self
            .db
            .write_queue()
            .begin(self.db.pools(), WritePriority::Interactive)
            .await?;
        node.release(&mut tx).await?;
        tx.commit().await?;
        node.released();
        Ok(())
    }
}
