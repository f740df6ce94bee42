//! Runs a test on each database.

use super::{TestServer, TestServerOptions};
use svc_test_support::databases::{Schema, postgres_url};

/// Runs a test on SQLite, and on PostgreSQL if `cargo xtask test` started one.
pub(crate) async fn on_each_database(test: impl AsyncFn(TestServer)) {
    on_each_database_with(TestServerOptions::default, test).await;
}

/// Does the same with servers that are started with these options.
pub(crate) async fn on_each_database_with(
    options: impl Fn() -> TestServerOptions,
    test: impl AsyncFn(TestServer),
) {
    // Boxed: a debug build keeps a future on the stack of each caller.
    Box::pin(test(Box::pin(TestServer::start_with(options())).await)).await;
    let Some(postgres) = postgres_url() else { return };
    let schema = Schema::create(&postgres).await;
    let server = Box::pin(TestServer::start_with(TestServerOptions {
        database_url: Some(schema.url.clone()),
        ..options()
    }))
    .await;
    let store = server.store.clone();
    Box::pin(test(server)).await;
    store.database.close().await;
    schema.drop().await;
}

/// Options of a server in kiosk mode.
pub(crate) fn kiosk() -> TestServerOptions {
    TestServerOptions {
        kiosk: true,
        ..TestServerOptions::default()
    }
}
