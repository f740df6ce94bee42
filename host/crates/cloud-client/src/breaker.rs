//! Stops requests to a server that fails: after some failures in a row, requests are refused without being sent, and one
//! at a time tries whether the server has recovered.
//!
//! The state is that of this process. Several servers of a database find out each for themselves; each sends at most
//! the few requests that this takes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::limits::{FAILURES, OPEN_FIRST, OPEN_LONGEST};

/// The state of a breaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BreakerState {
    /// Requests are sent.
    Closed,
    /// Requests are refused.
    Open,
    /// One request is sent; all others are refused until it has its answer.
    HalfOpen,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The server answered, whatever it said about the request.
    Answered,
    Failed,
    /// The request was given up or not sent, which says nothing about the server.
    Unknown,
}

/// The breaker of one origin.
#[derive(Debug, Default)]
struct Breaker {
    /// Failures in a row.
    failures: u32,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    until: Instant,
    lasts: Duration,
    is_trying: bool,
}

impl Breaker {
    fn state(&self) -> BreakerState {
        match &self.open {
            None => BreakerState::Closed,
            Some(open) if open.is_trying => BreakerState::HalfOpen,
            Some(_) => BreakerState::Open,
        }
    }

    /// Whether a request may be sent, and whether it is the one that tries. `None`: it is refused.
    fn admit(&mut self, now: Instant) -> Option<bool> {
        let Some(open) = &mut self.open else {
            return Some(false);
        };
        let tries = !open.is_trying && now >= open.until;
        open.is_trying |= tries;
        tries.then_some(true)
    }

    fn record(&mut self, was_trying: bool, outcome: Outcome, now: Instant) {
        match (&mut self.open, outcome) {
            (None, Outcome::Answered) => self.failures = 0,
            (None, Outcome::Failed) => {
                self.failures += 1;
                if self.failures >= FAILURES {
                    self.open = Some(Open {
                        until: now + OPEN_FIRST,
                        lasts: OPEN_FIRST,
                        is_trying: false,
                    });
                }
            }
            (Some(_), Outcome::Answered) if was_trying => *self = Self::default(),
            (Some(open), Outcome::Failed) if was_trying => {
                let lasts = (open.lasts * 2).min(OPEN_LONGEST);
                self.failures += 1;
                *open = Open {
                    until: now + lasts,
                    lasts,
                    is_trying: false,
                };
            }
            (Some(open), Outcome::Unknown) if was_trying => open.is_trying = false,
            // Requests that were sent before it opened.
            _ => {}
        }
    }
}

/// The breaker of an origin, as tests see it.
#[cfg(test)]
#[derive(Debug)]
pub(crate) struct OriginStatus {
    /// Such as `https://cloud.example`.
    pub(crate) origin: String,
    pub(crate) state: BreakerState,
    pub(crate) failures: u32,
    /// Time until the next request is sent, if requests are refused.
    pub(crate) retry_in: Option<Duration>,
}

/// The breakers of all origins. Their number is bounded by the origins that the rules allow.
#[derive(Debug, Default)]
pub(crate) struct Breakers(Mutex<BTreeMap<String, Breaker>>);

/// A request that a breaker let pass. Dropping it without an outcome counts neither way.
#[derive(Debug)]
pub(crate) struct Attempt {
    breakers: Arc<Breakers>,
    origin: String,
    is_trying: bool,
    outcome: Outcome,
}

impl Breakers {
    /// `None` if the origin's breaker is open.
    pub(crate) fn admit(self: &Arc<Self>, origin: &str, now: Instant) -> Option<Attempt> {
        let is_trying = self.change(origin, now, |breaker| breaker.admit(now))?;
        Some(Attempt {
            breakers: Arc::clone(self),
            origin: origin.to_owned(),
            is_trying,
            outcome: Outcome::Unknown,
        })
    }

    /// The breakers of all origins that were requested.
    #[cfg(test)]
    pub(crate) fn status(&self, now: Instant) -> Vec<OriginStatus> {
        let breakers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let status = |(origin, breaker): (&String, &Breaker)| OriginStatus {
            origin: origin.clone(),
            state: breaker.state(),
            failures: breaker.failures,
            retry_in: breaker
                .open
                .as_ref()
                .map(|open| open.until.saturating_duration_since(now)),
        };
        breakers.iter().map(status).collect()
    }

    /// Changes a breaker, and logs its state if that changed.
    fn change<T>(&self, origin: &str, now: Instant, change: impl FnOnce(&mut Breaker) -> T) -> T {
        let mut breakers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let breaker = breakers.entry(origin.to_owned()).or_default();
        let before = breaker.state();
        let result = change(breaker);
        let failures = breaker.failures;
        let retry_in = breaker
            .open
            .as_ref()
            .map(|open| open.until.saturating_duration_since(now).as_secs());
        match (before, breaker.state()) {
            (before, after) if before == after => {}
            (_, BreakerState::Open) => {
                tracing::warn!(
                    origin,
                    failures,
                    retry_in,
                    "cloud requests suspended, the server keeps failing"
                );
            }
            (_, BreakerState::HalfOpen) => tracing::info!(origin, "testing whether the cloud has recovered"),
            (_, BreakerState::Closed) => tracing::info!(origin, "cloud requests resumed"),
        }
        result
    }
}

impl Attempt {
    pub(crate) fn finish(mut self, outcome: Outcome) {
        self.outcome = outcome;
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        let now = Instant::now();
        let (is_trying, outcome) = (self.is_trying, self.outcome);
        self.breakers.change(&self.origin, now, |breaker| {
            breaker.record(is_trying, outcome, now);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends a request at a time; returns whether the breaker let it pass.
    fn send(breaker: &mut Breaker, at: Instant, outcome: Outcome) -> bool {
        let admitted = breaker.admit(at);
        if let Some(is_trying) = admitted {
            breaker.record(is_trying, outcome, at);
        }
        admitted.is_some()
    }

    fn opened(at: Instant) -> Breaker {
        let mut breaker = Breaker::default();
        for _ in 0..FAILURES {
            assert!(send(&mut breaker, at, Outcome::Failed));
        }
        breaker
    }

    #[test]
    fn breaker_opens_after_failures_in_a_row_only() {
        let (mut breaker, now) = (Breaker::default(), Instant::now());
        for _ in 0..3 {
            for _ in 1..FAILURES {
                assert!(send(&mut breaker, now, Outcome::Failed));
            }
            assert!(send(&mut breaker, now, Outcome::Unknown));
            assert_eq!(breaker.state(), BreakerState::Closed);
            assert!(send(&mut breaker, now, Outcome::Answered));
        }
        assert_eq!(opened(now).state(), BreakerState::Open);
    }

    #[test]
    fn open_breaker_lets_one_request_pass_after_each_pause_which_doubles() {
        let mut now = Instant::now();
        let mut breaker = opened(now);
        for seconds in [30, 60, 120, 240, 480, 600, 600] {
            let pause = Duration::from_secs(seconds);
            assert!(!send(
                &mut breaker,
                now + pause - Duration::from_millis(1),
                Outcome::Answered
            ));
            now += pause;
            assert_eq!(breaker.admit(now), Some(true), "{seconds} s");
            assert_eq!(breaker.admit(now), None, "the second while the first tries");
            assert_eq!(breaker.state(), BreakerState::HalfOpen);
            breaker.record(true, Outcome::Failed, now);
        }
        now += OPEN_LONGEST;
        assert!(send(&mut breaker, now, Outcome::Answered));
        assert_eq!((breaker.state(), breaker.failures), (BreakerState::Closed, 0));
        assert_eq!(breaker.admit(now), Some(false));
        let again = opened(now).open.unwrap();
        assert_eq!(again.lasts, OPEN_FIRST);
    }

    #[test]
    fn abandoned_request_leaves_the_next_one_to_try() {
        let now = Instant::now();
        let mut breaker = opened(now);
        let later = now + OPEN_FIRST;
        assert!(send(&mut breaker, later, Outcome::Unknown));
        assert_eq!(breaker.state(), BreakerState::Open);
        assert!(send(&mut breaker, later, Outcome::Answered));
        assert_eq!(breaker.state(), BreakerState::Closed);
    }

    #[test]
    fn late_outcomes_do_not_change_an_open_breaker() {
        let now = Instant::now();
        let mut breaker = opened(now);
        for outcome in [Outcome::Answered, Outcome::Failed, Outcome::Unknown] {
            breaker.record(false, outcome, now + OPEN_FIRST);
            assert_eq!(breaker.state(), BreakerState::Open, "{outcome:?}");
        }
        assert_eq!(breaker.open.unwrap().until, now + OPEN_FIRST);
    }

    #[test]
    fn origins_have_breakers_of_their_own() {
        let breakers = Arc::new(Breakers::default());
        let now = Instant::now();
        for _ in 0..FAILURES {
            breakers
                .admit("https://a.example", now)
                .unwrap()
                .finish(Outcome::Failed);
        }
        assert!(breakers.admit("https://a.example", now).is_none());
        drop(breakers.admit("https://b.example", now).unwrap());
        let states: Vec<_> = breakers
            .status(now)
            .into_iter()
            .map(|one| (one.state, one.failures))
            .collect();
        assert_eq!(
            states,
            [(BreakerState::Open, FAILURES), (BreakerState::Closed, 0)]
        );
    }
}
