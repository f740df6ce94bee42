//! The report of `bench http`: Markdown tables for people, JSON for programs.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

use super::http_flood::{Flood, LOGINS, Memory};
use super::http_scenarios::{Outcome, Round};
use super::http_servers::Measured;
use super::measure::median;

const HEAD: [&str; 12] = [
    "scenario",
    "connections",
    "req/s",
    "bare handler req/s",
    "share of bare",
    "aim",
    "share by server CPU",
    "p50 ms",
    "p99 ms (aim)",
    "errors",
    "CPU of a core: server (bare)",
    "generator (at bare)",
];

/// Markdown tables. Each figure is the median over the rounds; shares are computed per round.
pub(crate) fn table(outcomes: &[Outcome], flood: Option<&Flood>) -> String {
    let mut table = String::new();
    // Writing to a string does not fail.
    let _ = write!(
        table,
        "\n| {} |\n|{}\n",
        HEAD.join(" | "),
        "---|".repeat(HEAD.len())
    );
    for outcome in outcomes {
        let _ = writeln!(table, "| {} |", cells(outcome).join(" | "));
    }
    if let Some(flood) = flood {
        let _ = write!(table, "\n{}", flood_text(flood));
    }
    table
}

fn cells(outcome: &Outcome) -> Vec<String> {
    let scenario = outcome.scenario;
    let mut cells = vec![scenario.name.to_owned(), scenario.connections.to_string()];
    if outcome.rounds.is_empty() {
        cells.push("not available".into());
        return cells;
    }
    let of = |value: &dyn Fn(&Round) -> f64| over(outcome, value);
    let aim = |aim: Option<f64>| aim.map_or("-".into(), |aim| aim.to_string());
    let errors: u64 = outcome
        .rounds
        .iter()
        .map(|round| round.server.load_report.errors(scenario.status))
        .sum();
    cells.extend([
        format!(
            "{:.0}",
            of(&|round| round.server.load_report.per_second(scenario.status))
        ),
        format!("{:.0}", of(&|round| round.bare.load_report.per_second(200))),
        format!("{:.3}", share(outcome)),
        aim(scenario.aim),
        format!("{:.3}", share_by_cpu(outcome)),
        format!("{:.2}", of(&|round| round.server.load_report.p50 / 1000.0)),
        format!(
            "{:.2} ({})",
            of(&|round| round.server.load_report.p99 / 1000.0),
            aim(scenario.p99_aim)
        ),
        errors.to_string(),
        format!(
            "{:.2} ({:.2})",
            of(&|round| round.server.server_share),
            of(&|round| round.bare.server_share)
        ),
        format!(
            "{:.2} ({:.2})",
            of(&|round| round.server.load_report.cpu_share),
            of(&|round| round.bare.load_report.cpu_share)
        ),
    ]);
    cells
}

fn over(outcome: &Outcome, value: &dyn Fn(&Round) -> f64) -> f64 {
    let values: Vec<_> = outcome.rounds.iter().map(value).collect();
    median(&values).unwrap_or_default()
}

fn share(outcome: &Outcome) -> f64 {
    let status = outcome.scenario.status;
    over(outcome, &|round| {
        round.server.load_report.per_second(status) / round.bare.load_report.per_second(200)
    })
}

/// Requests per CPU second of the servers, which is comparable when other processes use the cores.
fn share_by_cpu(outcome: &Outcome) -> f64 {
    let status = outcome.scenario.status;
    let per_cpu =
        |measured: &Measured, status| measured.load_report.per_second(status) / measured.server_share;
    over(outcome, &|round| {
        per_cpu(&round.server, status) / per_cpu(&round.bare, 200)
    })
}

fn flood_text(flood: &Flood) -> String {
    let memory = |memory: Memory| format!("{} ({})", mebibytes(memory.total), mebibytes(memory.anonymous));
    format!(
        "login-flood, {LOGINS} logins at once: {}\n\
         resident MiB (anonymous): before {}, peak {}, high-water mark {}, after {}; \
         rise of anonymous at peak {} MiB (aim of the total: 90)\n\
         statuses: {}; the last answer after {:.1} s\n\
         health meanwhile, 4 connections: p50 {:.2} ms, p99 {:.2} ms, {} errors\n",
        if flood.logins.failures.is_empty() {
            "every one answered".into()
        } else {
            format!("failures: {}", counted(&flood.logins.failures))
        },
        memory(flood.before),
        memory(flood.peak),
        mebibytes(flood.high_water),
        memory(flood.after),
        mebibytes(flood.peak.anonymous.saturating_sub(flood.before.anonymous)),
        counted(&flood.logins.statuses),
        flood.logins.seconds(),
        flood.health.p50 / 1000.0,
        flood.health.p99 / 1000.0,
        flood.health.errors(200),
    )
}

fn counted<K: std::fmt::Display>(counts: &BTreeMap<K, u64>) -> String {
    let words = counts.iter().map(|(key, count)| format!("{count} x {key}"));
    words.collect::<Vec<_>>().join(", ")
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / (1024.0 * 1024.0))
}

/// JSON with every round; names include the units.
pub(crate) fn json(outcomes: &[Outcome], flood: Option<&Flood>, conditions: &str) -> Value {
    let scenarios: Vec<_> = outcomes.iter().map(scenario_json).collect();
    let memory = |memory: Memory| json!({"residentBytes": memory.total, "anonymousBytes": memory.anonymous});
    let flood = flood.map(|flood| {
        json!({
            "logins": LOGINS,
            "before": memory(flood.before),
            "peak": memory(flood.peak),
            "highWaterBytes": flood.high_water,
            "after": memory(flood.after),
            "statuses": flood.logins.statuses,
            "failures": flood.logins.failures,
            "healthP99Micros": flood.health.p99,
        })
    });
    json!({"conditions": conditions, "scenarios": scenarios, "loginFlood": flood})
}

fn scenario_json(outcome: &Outcome) -> Value {
    let scenario = outcome.scenario;
    let turn = |measured: &Measured, status| {
        json!({
            "requestsPerSecond": measured.load_report.per_second(status),
            "p50Micros": measured.load_report.p50,
            "p99Micros": measured.load_report.p99,
            "errors": measured.load_report.errors(status),
            "statuses": measured.load_report.statuses,
            "failures": measured.load_report.failures,
            "serverCpuOfACore": measured.server_share,
            "generatorCpuOfACore": measured.load_report.cpu_share,
        })
    };
    let rounds = outcome
        .rounds
        .iter()
        .map(|round| json!({"bare": turn(&round.bare, 200), "server": turn(&round.server, scenario.status)}));
    json!({
        "name": scenario.name,
        "connections": scenario.connections,
        "shareAim": scenario.aim,
        "p99AimMillis": scenario.p99_aim,
        "available": !outcome.rounds.is_empty(),
        "shareByCpu": (!outcome.rounds.is_empty()).then(|| share_by_cpu(outcome)),
        "share": (!outcome.rounds.is_empty()).then(|| share(outcome)),
        "rounds": rounds.collect::<Vec<_>>(),
    })
}
