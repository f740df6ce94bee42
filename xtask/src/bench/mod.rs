//! `cargo xtask bench`: benchmarks, each compared with a baseline in the same run.

mod events;
mod extract;
mod flood;
mod http;
mod http_flood;
mod http_media;
mod http_report;
mod http_requests;
mod http_scenarios;
mod http_servers;
mod items;
mod library;
mod machine;
mod measure;
mod report;
mod scan;
mod scan_changes;
mod scan_latency;
mod scan_server;
mod stream;
mod stream_nginx;
mod thumbnails;

use anyhow::Result;

#[derive(clap::Subcommand)]
pub(crate) enum Bench {
    /// Scans by one server over files of all kinds: first, quick beside a bare walk, after changes; memory, requests meanwhile
    Scan(scan::Options),
    /// Items of a plugin's kind beside as many tracks: scans, lists by every order and facet, search, memory, storage
    Items(items::Options),
    /// Requests per second of the server beside a bare salvo handler, and memory during a flood of logins
    Http(http::Options),
    /// Thousands of open event streams: memory of each, delivery, lost events, shutdown
    Events(events::Options),
    /// Floods of anonymous requests, route by route: the cost of each, and whether other clients are still served
    Flood(flood::Options),
    /// Ranges of a large file compared with nginx, and the memory of streams that no client reads
    Stream(stream::Options),
    /// Extraction in the sandbox compared with native parsers
    Extract {
        /// Passed on to `cargo bench`
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Thumbnails in the sandbox compared with the same code run natively
    Thumbnails {
        /// Passed on to `cargo bench`
        #[arg(last = true)]
        arguments: Vec<String>,
    },
}

/// Runs one.
pub(crate) fn run(bench: Bench) -> Result<()> {
    match bench {
        Bench::Scan(options) => scan::run(&options),
        Bench::Items(options) => items::run(&options),
        Bench::Http(options) => http::run(&options),
        Bench::Stream(options) => stream::run(&options),
        Bench::Events(options) => events::run(&options),
        Bench::Flood(options) => flood::run(&options),
        Bench::Extract { arguments } => extract::run(&arguments),
        Bench::Thumbnails { arguments } => thumbnails::run(&arguments),
    }
}
