//! A schema of a test's own on the PostgreSQL server for tests.

use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

/// Dropped with this value.
#[derive(Debug)]
pub struct Schema {
    name: String,
    server: String,
    /// The URL that leads into it.
    pub url: String,
}

impl Schema {
    /// `None`, noted as skipped, where there is no server: `cargo xtask test` names one.
    pub fn create() -> Option<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let server = std::env::var("SVC_TEST_POSTGRES_URL").unwrap_or_default();
        if server.is_empty() {
            crate::skipped("PostgreSQL: SVC_TEST_POSTGRES_URL is not set (cargo xtask test sets it)");
            return None;
        }
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("svc_program_{}_{number}", std::process::id());
        run(&server, format!("CREATE SCHEMA {name}"));
        let joint = if server.contains('?') { '&' } else { '?' };
        Some(Self {
            url: format!("{server}{joint}options[search_path]={name}"),
            server,
            name,
        })
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        run(&self.server, format!("DROP SCHEMA {} CASCADE", self.name));
    }
}

fn run(server: &str, sql: String) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut connection = PgConnection::connect(server).await.unwrap();
        sqlx::raw_sql(AssertSqlSafe(sql))
            .execute(&mut connection)
            .await
            .unwrap();
        connection.close().await.unwrap();
    });
}
