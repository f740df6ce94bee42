//! How many files the process may have open: each connection is one, and the usual limit is far below what the server
//! holds.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Enough for 12,000 connections, the database and a scan, with room to spare.
const ENOUGH: u64 = 65_536;

/// Raises the limit as far as the system lets a process do it by itself, and says so where that is too little.
pub fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let wanted = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    if limit.current != limit.maximum
        && let Err(error) = setrlimit(Resource::Nofile, wanted)
    {
        tracing::warn!(%error, "the limit of open files cannot be raised");
    }
    // None is no limit.
    if let Some(files) = getrlimit(Resource::Nofile)
        .current
        .filter(|&files| files < ENOUGH)
    {
        tracing::warn!(
            files,
            "the open files limit is low: with thousands of clients, connections will fail; raise the limit \
             (LimitNOFILE of systemd, --ulimit nofile of a container)"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_is_as_high_as_the_system_allows() {
        raise_limit();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
    }
}
