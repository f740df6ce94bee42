//! The control endpoints of tests: failure switches, the clock, counts of requests. Only with `--allow-failures`, and only
//! for clients on this machine.

use salvo::http::StatusCode;
use serde::Deserialize;
use serde_json::json;

use crate::cloud::Cloud;
use crate::error::{Refusal, Result};
use crate::http::call::Call;
use crate::http::failures::{Switch, Switches};
use crate::http::reply::{Cache, Reply};
use crate::http::routes::{Route, list};

/// Routes that no failure switch affects.
pub(crate) fn routes() -> Vec<Route> {
    list![
        POST "/control/failures" "addFailure" add_failure,
        DELETE "/control/failures" "resetFailures" reset,
        POST "/control/clock" "setClock" set_clock,
        GET "/control/requests" "countRequests" count_requests,
    ]
}

fn switches(call: &Call) -> Result<&Switches> {
    let switches = call.switches.as_deref().filter(|_| call.is_loopback);
    switches.ok_or_else(|| Refusal::Forbidden.into())
}

async fn add_failure(_cloud: &Cloud, call: &Call) -> Result<Reply> {
    let switch: Switch = call.json()?;
    if !switches(call)?.add(switch) {
        return Err(Refusal::InvalidRequest("endpoint: there is no such endpoint").into());
    }
    Reply::json(StatusCode::CREATED, Cache::Never, &json!({}))
}

async fn reset(cloud: &Cloud, call: &Call) -> Result<Reply> {
    switches(call)?.reset();
    cloud.clock.set_offset(0);
    Reply::json(StatusCode::OK, Cache::Never, &json!({}))
}

#[derive(Deserialize)]
struct ClockBody {
    /// How far the clock is ahead.
    milliseconds: i64,
}

async fn set_clock(cloud: &Cloud, call: &Call) -> Result<Reply> {
    switches(call)?;
    let ClockBody { milliseconds } = call.json()?;
    cloud.clock.set_offset(milliseconds);
    Reply::json(StatusCode::CREATED, Cache::Never, &json!({}))
}

async fn count_requests(_cloud: &Cloud, call: &Call) -> Result<Reply> {
    Reply::json(
        StatusCode::OK,
        Cache::Never,
        &json!({ "requests": switches(call)?.requests() }),
    )
}
