//! The limit of open files: each connection takes one, and the default limit is far below what the server supports.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Sufficient for 12,000 connections, the database and a scan.
const ENOUGH: u64 = 65_536;

/// Raises the soft limit to the hard limit, and warns if that is too low.
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
    // `None` means unlimited.
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
