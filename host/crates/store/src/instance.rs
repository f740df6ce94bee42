//! The identity of this installation.

use crate::db::Database;
use svc_database::Result;
use svc_database::args::args;
use svc_database::write_queue::WritePriority;
use svc_domain::time::Timestamp;

/// One installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// 32 hexadecimal digits, random, generated once.
    pub instance_id: String,
    /// Time of its first start.
    pub created_at: Timestamp,
}

const SELECT: &str = "SELECT instance_id, created_at FROM server";

type Row = (String, i64);

fn instance((instance_id, created_at): Row) -> Instance {
    Instance {
        instance_id,
        created_at: Timestamp::from_millis(created_at),
    }
}

/// The identity of this installation.
#[derive(Debug, Clone)]
pub struct InstanceRepository {
    pub(crate) db: Database,
}

impl InstanceRepository {
    /// The instance; `None` before the first start.
    pub async fn instance(&self) -> Result<Option<Instance>> {
        let row: Option<Row> = self.db.pools().fetch_optional(SELECT, &[]).await?;
        Ok(row.map(instance))
    }

    /// Stores `new` unless there is an instance; returns the stored one.
    pub async fn create_instance_if_absent(&self, new: &Instance) -> Result<Instance> {
        let mut tx = self.db.write_record(WritePriority::Interactive).await?;
        tx.execute(
            "INSERT INTO server (singleton, instance_id, created_at) VALUES (1, $1, $2) \
             ON CONFLICT (singleton) DO NOTHING",
            &args![new.instance_id.as_str(), new.created_at],
        )
        .await?;
        let rows: Vec<Row> = tx.fetch_all(SELECT, &[]).await?;
        tx.commit().await?;
        Ok(rows.into_iter().next().map_or_else(|| new.clone(), instance))
    }
}
