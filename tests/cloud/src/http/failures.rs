//! Failure switches: what goes wrong, at which endpoint, how often.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Deserialize;

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Failure {
    /// The connection is closed without a response.
    Down,
    /// The request is never answered.
    BlackHole,
    /// The response waits.
    Slow { milliseconds: u64 },
    /// The response is sent byte by byte, with a pause after each.
    Drip { milliseconds: u64 },
    /// Bytes that are not JSON, said to be JSON.
    Garbage,
    /// A page instead of JSON, as captive portals send it.
    Html,
    /// A JSON object without the expected fields.
    OtherShape,
    /// Each member of the JSON object occurs twice.
    DuplicateKeys,
    /// The connection is closed after half of the body.
    Truncate,
    /// The account of the response has another id.
    WrongAccount { public_user_id: String },
    /// The token is refused, as if it had been revoked.
    Revoked,
    /// A redirect.
    Redirect { location: String },
    /// Spaces after the body, up to this size.
    Oversize { bytes: usize },
    /// A refusal with any status and code.
    Refuse { status: u16, code: String },
    /// Status 500.
    Error,
}

/// A failure at an endpoint.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Switch {
    /// Name of a route, or `*` for all of them.
    pub(crate) endpoint: String,
    pub(crate) failure: Failure,
    /// Until the next reset if absent.
    pub(crate) times: Option<u32>,
}

#[derive(Debug, Default)]
struct State {
    switches: Vec<Switch>,
    requests: BTreeMap<&'static str, u64>,
}

/// All switches, and how often each endpoint was requested.
#[derive(Debug)]
pub(crate) struct Switches {
    endpoints: Vec<&'static str>,
    state: Mutex<State>,
}

impl Switches {
    pub(crate) fn new(endpoints: Vec<&'static str>) -> Self {
        Self {
            endpoints,
            state: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a switch; `false` if there is no such endpoint. Of several for an endpoint, the first that is left acts.
    pub(crate) fn add(&self, switch: Switch) -> bool {
        let known = switch.endpoint == "*" || self.endpoints.contains(&switch.endpoint.as_str());
        if known {
            self.state().switches.push(switch);
        }
        known
    }

    pub(crate) fn reset(&self) {
        self.state().switches.clear();
    }

    /// Counts a request, and returns the failure that it meets.
    pub(crate) fn meet(&self, endpoint: &'static str) -> Option<Failure> {
        if !self.endpoints.contains(&endpoint) {
            return None;
        }
        let mut state = self.state();
        *state.requests.entry(endpoint).or_default() += 1;
        let applies = |switch: &Switch| switch.endpoint == "*" || switch.endpoint == endpoint;
        let at = state.switches.iter().position(applies)?;
        let switch = state.switches.get_mut(at)?;
        let failure = switch.failure.clone();
        if let Some(times) = &mut switch.times {
            *times = times.saturating_sub(1);
            if *times == 0 {
                state.switches.remove(at);
            }
        }
        Some(failure)
    }

    /// Requests by endpoint since the start.
    pub(crate) fn requests(&self) -> BTreeMap<&'static str, u64> {
        self.state().requests.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn switch(endpoint: &str, times: Option<u32>) -> Switch {
        Switch {
            endpoint: endpoint.to_owned(),
            failure: Failure::Down,
            times,
        }
    }

    #[test]
    fn switches_act_on_their_endpoint_as_often_as_they_say() {
        let switches = Switches::new(vec!["account", "servers"]);
        assert!(switches.add(switch("account", Some(2))));
        assert!(!switches.add(switch("unknown", None)));
        let met = |endpoint| switches.meet(endpoint).is_some();
        assert_eq!(
            [met("account"), met("servers"), met("account"), met("account")],
            [true, false, true, false]
        );
        assert!(switches.add(switch("*", None)));
        assert!(met("account") && met("servers") && met("servers"));
        switches.reset();
        assert!(!met("account"));
        assert_eq!(
            switches.requests(),
            BTreeMap::from([("account", 5), ("servers", 3)])
        );
    }
}
