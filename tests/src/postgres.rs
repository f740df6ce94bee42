//! Schemas on the PostgreSQL server for tests, for tests without a runtime.

use svc_test_support::databases::{self, postgres_url};

/// A schema that is dropped with this value.
pub struct Schema {
    schema: Option<databases::Schema>,
    pub url: String,
}

impl Schema {
    /// `None`, reported as skipped, if `cargo xtask test` started no server.
    pub fn create() -> Option<Self> {
        let server = postgres_url()?;
        let schema = block_on(databases::Schema::create(&server));
        Some(Self {
            url: schema.url.clone(),
            schema: Some(schema),
        })
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        if let Some(schema) = self.schema.take() {
            block_on(schema.drop());
        }
    }
}

/// Runs a future in a test without a runtime.
pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(future)
}
