//! Requests that begin at the same time, on each database.

use std::sync::Barrier;

use crate::postgres::Schema;

/// Runs a test on SQLite, and on PostgreSQL if there is a server. The test gets the options for the server.
pub fn on_each_database(test: impl Fn(&[&str])) {
    test(&[]);
    if let Some(schema) = Schema::create() {
        test(&["--database-url", &schema.url]);
    }
}

/// Results of parallel requests, begun together.
pub fn together<T: Send>(count: usize, send: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(count);
    std::thread::scope(|scope| {
        let (start, send) = (&start, &send);
        let sent: Vec<_> = (0..count)
            .map(|number| {
                scope.spawn(move || {
                    start.wait();
                    send(number)
                })
            })
            .collect();
        sent.into_iter().map(|sent| sent.join().unwrap()).collect()
    })
}

/// How many of the statuses are this one.
pub fn count(statuses: &[u16], status: u16) -> usize {
    statuses.iter().filter(|found| **found == status).count()
}
