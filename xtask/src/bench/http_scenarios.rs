//! The scenarios of `bench http`, and their measurements.

use super::http_media::Media;
use super::http_servers::Measured;

/// Number of users for the scenario that lists users.
pub(crate) const USERS: usize = 1_000;

/// One request that is measured. A new one is a line in [`SCENARIOS`].
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) request: Request,
    pub(crate) connections: usize,
    pub(crate) status: u16,
    /// Minimum share of the bare handler's requests per second.
    pub(crate) aim: Option<f64>,
    /// Maximum of the 99th percentile in milliseconds.
    pub(crate) p99_aim: Option<f64>,
}

/// The request of a scenario.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Request {
    /// A GET that anyone may make
    Public(&'static str),
    /// A GET with the owner's access token
    Owner(&'static str),
    /// A GET with the owner's access token, once the server has [`USERS`] users
    OverUsers(&'static str),
    /// The owner's login
    Login,
    /// A GET of the library that `--items` asks for
    Of(Media),
}

/// All scenarios, in the order in which they are measured.
pub(crate) const SCENARIOS: [Scenario; 14] = [
    Scenario {
        name: "health",
        request: Request::Public("/api/v1/health"),
        connections: 64,
        status: 200,
        aim: Some(0.9),
        p99_aim: None,
    },
    Scenario {
        name: "authenticated",
        request: Request::Owner("/api/v1/index/state"),
        connections: 64,
        status: 200,
        aim: Some(0.7),
        p99_aim: None,
    },
    Scenario {
        name: "users",
        request: Request::OverUsers("/api/v1/users?take=12"),
        connections: 64,
        status: 200,
        aim: Some(0.12),
        p99_aim: Some(10.0),
    },
    of_library("items", Media::Items, 200, 0.5),
    of_library("pages", Media::Pages, 200, 0.12),
    of_library("searches", Media::Searches(8_000), 200, 0.12),
    of_library("item", Media::Item, 200, 0.5),
    of_library("page-10", Media::Page(10), 200, 0.12),
    of_library("page-1000", Media::Page(1_000), 200, 0.12),
    of_library("page-90000", Media::Page(90_000), 200, 0.12),
    of_library("search", Media::Search, 200, 0.12),
    of_library("artwork", Media::Artwork, 200, 0.6),
    of_library("not-modified", Media::NotModified, 304, 0.6),
    // Fewer connections than the queue for password hashing holds, because throughput is measured, not rejections.
    Scenario {
        name: "login",
        request: Request::Login,
        connections: 8,
        status: 201,
        aim: None,
        p99_aim: None,
    },
];

/// Least share of the bare handler, and pages within ten milliseconds.
const fn of_library(name: &'static str, media: Media, status: u16, aim: f64) -> Scenario {
    Scenario {
        name,
        request: Request::Of(media),
        connections: 64,
        status,
        aim: Some(aim),
        p99_aim: Some(10.0),
    }
}

/// The measurements of a scenario; none if the server has no such endpoint.
pub(crate) struct Outcome {
    pub(crate) scenario: &'static Scenario,
    pub(crate) rounds: Vec<Round>,
}

/// One turn of the bare handler and one of the server.
pub(crate) struct Round {
    pub(crate) bare: Measured,
    pub(crate) server: Measured,
}
