//! `cargo xtask bench http`: requests per second and latency of named scenarios, in turn with a bare salvo handler, and
//! memory during a flood of sign-ins.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use serde_json::Value;

use super::http_requests::{get, login};
use super::http_scenarios::{Outcome, Request, Round, SCENARIOS, Scenario, USERS};
use super::http_servers::{Generator, Load, Servers};
use super::library::{Kind, Library};
use super::{http_flood, http_report, machine};
use crate::server_client::{Client, Session};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Tracks of the library; without one its scenarios are left out
    #[arg(long, value_name = "N", default_value_t = 0)]
    items: usize,
    /// Program that makes the library, as for `bench scan`; else the project's fixtures
    #[arg(long, value_name = "PATH", env = "SVC_BENCH_GENERATOR")]
    generator: Option<PathBuf>,
    /// Turns of bare handler and server; the figures are medians
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
    /// Milliseconds of one turn
    #[arg(long, value_name = "MS", default_value_t = 2000)]
    duration: u64,
    /// Only the scenarios of these names; `login-flood` is one
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    only: Vec<String>,
    /// Print JSON in place of tables
    #[arg(long)]
    json: bool,
    /// Do not build; measure the existing binaries
    #[arg(long)]
    skip_build: bool,
}

/// Builds, measures, prints; a scenario that could not be measured is an error at the end.
pub(crate) fn run(options: &Options) -> Result<()> {
    let known = SCENARIOS.iter().map(|scenario| scenario.name);
    let known: Vec<_> = known.chain(["login-flood"]).collect();
    if let Some(name) = options.only.iter().find(|name| !known.contains(&name.as_str())) {
        bail!("no scenario `{name}`; there are: {}", known.join(", "));
    }
    let wanted = |name: &str| options.only.is_empty() || options.only.iter().any(|only| only == name);
    let mut servers = Servers::build(options.skip_build)?;
    if options.items > 0 {
        let library = Library::prepare(Kind::Music, options.items, options.generator.as_deref())?;
        servers.use_library(library.directory);
    }
    servers.start()?;
    if options.items > 0 {
        let client = Client::new(servers.server()?.base());
        let mut session = client.log_in(servers.owner())?;
        session.start_quick_run()?;
        while !session.is_idle()? {
            std::thread::sleep(Duration::from_millis(100));
        }
        eprintln!("xtask: {}", session.counts()?);
    }
    let mut outcomes = Vec::new();
    let of_library = |scenario: &Scenario| matches!(scenario.request, Request::Of(_));
    let measured = SCENARIOS
        .iter()
        .filter(|scenario| wanted(scenario.name) && (options.items > 0 || !of_library(scenario)));
    for scenario in measured {
        eprintln!("xtask: {}", scenario.name);
        outcomes.push(Outcome {
            scenario,
            rounds: measure(scenario, &servers, options)?,
        });
    }
    let flood = if wanted("login-flood") {
        eprintln!("xtask: login-flood");
        // On a new server, so that the memory before the flood is the minimum.
        servers.start()?;
        Some(http_flood::run(&servers)?)
    } else {
        None
    };
    let conditions = format!("{}; {}", servers.pinning(), machine::line());
    let report: Value = http_report::json(&outcomes, flood.as_ref(), &conditions);
    if options.json {
        println!("{report:#}");
    } else {
        print!("{}", http_report::table(&outcomes, flood.as_ref()));
        println!("\n{conditions}");
    }
    let missing: Vec<_> = outcomes
        .iter()
        .filter(|outcome| outcome.rounds.is_empty() && !of_library(outcome.scenario))
        .map(|outcome| outcome.scenario.name)
        .collect();
    if !missing.is_empty() {
        bail!("not available on this server: {}", missing.join(", "));
    }
    Ok(())
}

fn measure(scenario: &Scenario, servers: &Servers, options: &Options) -> Result<Vec<Round>> {
    let client = Client::new(servers.server()?.base());
    // A new sign-in for each scenario, because an access token lives for 15 minutes.
    let mut session = client.log_in(servers.owner())?;
    let of_library = match scenario.request {
        Request::Of(media) => media.request(&mut session)?,
        _ => Some(String::new()),
    };
    let Some(of_library) = of_library else {
        eprintln!("xtask: the library is too small for {}", scenario.name);
        return Ok(Vec::new());
    };
    if matches!(scenario.request, Request::OverUsers(_)) && !make_users(&session, servers)? {
        return Ok(Vec::new());
    }
    let token = session.token().to_owned();
    let load = |server: bool, milliseconds| Load {
        connections: scenario.connections,
        milliseconds: Some(milliseconds),
        rate: None,
        request: match (server, scenario.request) {
            (false, _) => get("/", None),
            (true, Request::Public(path)) => get(path, None),
            (true, Request::Owner(path) | Request::OverUsers(path)) => get(path, Some(&token)),
            (true, Request::Login) => login(&servers.owner()),
            (true, Request::Of(_)) => of_library.clone(),
        },
    };
    let generator: &Generator = servers.generator();
    (0..options.rounds)
        .map(|_| {
            if matches!(scenario.request, Request::Of(media) if media.is_uncached()) {
                session.change_a_rating()?;
            }
            Ok(Round {
                bare: generator.run(servers.bare()?, &load(false, options.duration))?,
                server: generator.run(servers.server()?, &load(true, options.duration))?,
            })
        })
        .collect()
}

/// Creates the missing users; `false` if the server has no endpoint for that.
fn make_users(session: &Session<'_>, servers: &Servers) -> Result<bool> {
    eprintln!("xtask: making {USERS} users");
    // The owner is one of them.
    for number in 1..USERS {
        let mut user = servers.owner();
        user.username = format!("member{number}");
        if !session.create_member(&user)? {
            return Ok(false);
        }
    }
    Ok(true)
}
