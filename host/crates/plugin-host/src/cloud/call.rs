//! The state of one call of a cloud plugin, and the functions of the host that the guest calls on it.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use wasmtime::UpdateDeadline;

use crate::bindings::svc::plugin::{log, settings, types};
use crate::call::SettingValues;
use crate::cloud::bindings::svc::plugin::{clock, http, state};
use crate::cloud::failure_log::RepeatedLines;
use crate::cloud::host_http::{HttpClient, HttpError, HttpHeader, HttpRequest};
use crate::cloud::host_settings::CurrentSettings;
use crate::cloud::host_state::StateStore;
use crate::cloud::secrets::Secrets;
use crate::convert;
use crate::host_log::{Line, LogState, write_line};
use crate::limits;
use crate::memory::MemoryMeter;
use crate::stop_reason::StopReason;
use svc_domain::extraction::Value;
use svc_domain::time::Clock;

/// What a plugin reaches of its host.
#[derive(Clone)]
pub struct CloudHost {
    /// Sends its requests.
    pub http: Arc<dyn HttpClient>,
    /// Keeps its state.
    pub state: Arc<dyn StateStore>,
    /// Its settings that change while it is loaded.
    pub settings: Arc<dyn CurrentSettings>,
    /// Its clock.
    pub clock: Arc<dyn Clock>,
}

impl fmt::Debug for CloudHost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CloudHost").finish_non_exhaustive()
    }
}

/// Data of the store of one call.
pub(super) struct CloudCall {
    /// Name of the called function.
    name: &'static str,
    plugin_id: Arc<str>,
    host: CloudHost,
    settings: SettingValues,
    secrets: Secrets,
    log: LogState,
    /// The lines of all calls.
    lines: Arc<RepeatedLines>,
    pub(super) memory: MemoryMeter,
    /// How often the guest was interrupted: each time it has run for at most a tick.
    slices: u32,
    requests: u32,
    /// Requests that it may send.
    most_requests: u32,
}

impl CloudCall {
    /// For a call of this function, which may send requests or not.
    pub(super) fn new(
        name: &'static str,
        plugin_id: Arc<str>,
        host: CloudHost,
        settings: SettingValues,
        secrets: Secrets,
        lines: Arc<RepeatedLines>,
    ) -> Self {
        Self {
            name,
            log: LogState::new(Arc::clone(&plugin_id)),
            lines,
            plugin_id,
            host,
            settings,
            secrets,
            memory: MemoryMeter::new(limits::CLOUD_MEMORY),
            slices: 0,
            requests: 0,
            most_requests: limits::CLOUD_REQUESTS,
        }
    }

    /// The same call, which may send no request.
    pub(super) fn offline(self) -> Self {
        Self {
            most_requests: 0,
            ..self
        }
    }

    /// Called by the guest's code at a tick: ends the call, or lets other tasks of the thread run first.
    pub(super) fn interrupted(&mut self) -> Result<UpdateDeadline, StopReason> {
        self.slices += 1;
        let most = limits::CLOUD_CPU.as_nanos() / limits::TICK.as_nanos().max(1);
        if u128::from(self.slices) > most {
            return Err(StopReason::Timeout(limits::CLOUD_CPU));
        }
        Ok(UpdateDeadline::Yield(1))
    }

    /// Why a request is not even handed on.
    fn refusal(&mut self, request: &http::Request) -> Option<http::HttpError> {
        self.requests += 1;
        if self.requests > self.most_requests {
            let most = self.most_requests;
            return Some(http::HttpError::Denied(format!(
                "a call sends at most {most} requests"
            )));
        }
        let is_long = request
            .body
            .as_ref()
            .is_some_and(|body| body.len() > limits::REQUEST_BYTES);
        is_long.then_some(http::HttpError::TooLarge)
    }

    /// Logs why the rules refuse a request. The reason names the host, as which the plugin may have written a secret.
    fn log_denied(&self, reason: &str) {
        let (plugin, call) = (&*self.plugin_id, self.name);
        let reason = self.secrets.removed_from(reason);
        if let Some(silent) = self.lines.admit(call, &reason, Instant::now()) {
            tracing::warn!(plugin, call, silent, reason, "cloud request refused");
        }
    }
}

impl http::Host for CloudCall {
    async fn send(
        &mut self,
        request: http::Request,
    ) -> wasmtime::Result<Result<http::Response, http::HttpError>> {
        if let Some(refusal) = self.refusal(&request) {
            return Ok(Err(refusal));
        }
        let headers = request.headers.into_iter();
        let request = HttpRequest {
            method: request.method,
            url: request.url,
            headers: headers
                .map(|http::Header { name, value }| HttpHeader { name, value })
                .collect(),
            body: request.body,
            flight: request.flight,
        };
        Ok(match self.host.http.send(request).await {
            Ok(response) if response.body.len() > limits::RESPONSE_BYTES => Err(http::HttpError::TooLarge),
            Ok(response) => Ok(http::Response {
                status: response.status,
                headers: response
                    .headers
                    .into_iter()
                    .map(|HttpHeader { name, value }| http::Header { name, value })
                    .collect(),
                body: response.body,
            }),
            Err(error) => Err(match error {
                HttpError::Denied(reason) => {
                    self.log_denied(&reason);
                    http::HttpError::Denied(reason)
                }
                HttpError::Unreachable => http::HttpError::Unreachable,
                HttpError::Timeout => http::HttpError::Timeout,
                HttpError::TooLarge => http::HttpError::TooLarge,
                HttpError::Tls => http::HttpError::Tls,
            }),
        })
    }
}

impl clock::Host for CloudCall {
    fn now(&mut self) -> wasmtime::Result<u64> {
        Ok(u64::try_from(self.host.clock.now().millis()).unwrap_or_default())
    }
}

impl state::Host for CloudCall {
    async fn get(&mut self, key: String) -> wasmtime::Result<Option<Vec<u8>>> {
        Ok(self.host.state.get(&key).await)
    }

    async fn set(&mut self, key: String, value: Option<Vec<u8>>) -> wasmtime::Result<Result<(), String>> {
        let stored = self.host.state.set(&key, value).await;
        Ok(stored.map_err(|error| error.to_string()))
    }
}

impl types::Host for CloudCall {}

impl settings::Host for CloudCall {
    fn get(&mut self, key: String) -> wasmtime::Result<Option<types::Value>> {
        // Only what the manifest declares.
        let value = self.settings.get(&key).map(|loaded| {
            let current = self.host.settings.current(&key).map(Value::Text);
            current.unwrap_or_else(|| loaded.clone())
        });
        Ok(value.map(convert::value_for_guest))
    }
}

impl log::Host for CloudCall {
    fn write(&mut self, level: log::Level, message: String) -> wasmtime::Result<()> {
        let message = self.secrets.removed_from(&message);
        let call = self.name;
        let line = match self.log.admit(level, &message)? {
            Line::Text(text) if matches!(level, log::Level::Warn | log::Level::Error) => {
                match self.lines.admit(call, &text, Instant::now()) {
                    None => Line::Discarded,
                    Some(0) => Line::Text(text),
                    Some(silent) => Line::Text(format!("{text} ({silent} more since the last such line)")),
                }
            }
            line => line,
        };
        write_line!(line, level, &*self.plugin_id, call, "call");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::sync::Mutex;

    use tracing::field::{Field, Visit};
    use tracing::span;

    use super::*;
    use crate::cloud::host_http::{HostFuture, HttpResponse};
    use crate::tests::cloud::stub;

    /// Refuses all requests.
    #[derive(Debug)]
    struct Denying;

    impl HttpClient for Denying {
        fn send(&self, request: HttpRequest) -> HostFuture<'_, Result<HttpResponse, HttpError>> {
            let reason = format!("{} is not configured", request.url);
            Box::pin(async { Err(HttpError::Denied(reason)) })
        }
    }

    /// Keeps what is logged.
    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<String>>);

    impl Visit for Lines {
        fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
            write!(self.0.lock().unwrap(), "{field}={value:?} ").unwrap();
        }
    }

    impl tracing::Subscriber for Lines {
        fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &span::Attributes<'_>) -> span::Id {
            span::Id::from_u64(1)
        }

        fn record(&self, _: &span::Id, _: &span::Record<'_>) {}

        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

        fn event(&self, event: &tracing::Event<'_>) {
            event.record(&mut self.clone());
        }

        fn enter(&self, _: &span::Id) {}

        fn exit(&self, _: &span::Id) {}
    }

    #[test]
    fn refused_request_is_logged_without_the_secrets_of_its_call() {
        let mut secrets = Secrets::default();
        secrets.add("Token-1");
        let host = CloudHost {
            http: Arc::new(Denying),
            ..stub::host()
        };
        let mut call = CloudCall::new(
            "account",
            "club".into(),
            host,
            SettingValues::default(),
            secrets,
            Arc::default(),
        );
        let request = http::Request {
            method: "GET".to_owned(),
            url: "https://token-1.example".to_owned(),
            headers: Vec::new(),
            body: None,
            flight: None,
        };
        let lines = Lines::default();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let sent = tracing::subscriber::with_default(lines.clone(), || {
            runtime.block_on(http::Host::send(&mut call, request))
        });
        assert!(matches!(sent.unwrap(), Err(http::HttpError::Denied(_))));
        let lines = lines.0.lock().unwrap();
        assert!(lines.contains("https://….example is not configured"), "{lines}");
        assert!(lines.contains("club") && !lines.contains("token-1"), "{lines}");
    }
}
