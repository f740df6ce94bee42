//! One request to the cloud, and its answer or refusal. Anything that the protocol does not have is `Unavailable`.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use svc_plugin_api::cloud::http::{self, HttpError, Request, Response, header};
use svc_plugin_api::cloud::{CloudError, clock, state};
use svc_plugin_api::{log, settings};

use crate::forms::Result;
use crate::{endpoints, forms};

/// Bytes of a response: 500 statuses of invitations, several times. The server receives up to 4 MiB, which as JSON could
/// exceed the memory of the plugin.
const RESPONSE: usize = 256 * 1024;
/// Start of the keys of pauses. Each holds the time until which a function sends nothing, as decimal milliseconds.
const PAUSE: &str = "pause ";
/// The longest pause that the cloud can ask for, in seconds.
const LONGEST_PAUSE: u64 = 600;

/// A request without its address.
pub struct Call {
    /// The function of the plugin, which has one endpoint: for the log and for pauses.
    name: &'static str,
    has_token: bool,
    request: Request,
}

impl Call {
    fn new(name: &'static str, method: &str) -> Self {
        Self {
            name,
            has_token: false,
            request: Request {
                method: method.to_owned(),
                url: String::new(),
                headers: vec![header("Accept", "application/json")],
                body: None,
                flight: None,
            },
        }
    }

    pub fn get(name: &'static str) -> Self {
        Self::new(name, "GET")
    }

    pub fn post(name: &'static str) -> Self {
        Self::new(name, "POST")
    }

    pub fn delete(name: &'static str) -> Self {
        Self::new(name, "DELETE")
    }

    /// With the token of an account. One that has no form of a token is rejected without a request.
    pub fn token(mut self, token: &str) -> Result<Self> {
        if !forms::is_credential(token) {
            return Err(CloudError::Rejected);
        }
        self.has_token = true;
        self.request.headers.push(header("Svc-Cloud-Token", token));
        Ok(self)
    }

    /// With the credential of this server.
    pub fn credential(mut self, credential: &str) -> Result<Self> {
        if !forms::is_credential(credential) {
            return Err(CloudError::Refused("credential_invalid".to_owned()));
        }
        let value = format!("Bearer {credential}");
        self.request.headers.push(header("Authorization", value));
        Ok(self)
    }

    /// With the id of this installation, if it is known.
    pub fn instance(mut self) -> Self {
        let id = settings::text("instance-id").filter(|id| !id.is_empty());
        self.request
            .headers
            .extend(id.map(|id| header("Svc-Instance", id)));
        self
    }

    /// With a body.
    pub fn body(mut self, body: &impl Serialize) -> Result<Self> {
        let body = serde_json::to_vec(body).map_err(|_| CloudError::Unavailable)?;
        self.request
            .headers
            .push(header("Content-Type", "application/json"));
        self.request.body = Some(body);
        Ok(self)
    }

    /// The same for everyone: requests that are in flight at once are sent once.
    pub fn shared(mut self) -> Self {
        self.request.flight = Some(self.name.to_owned());
        self
    }

    /// Sends it, and reads the answer.
    pub fn send<T: DeserializeOwned>(mut self, url: &str) -> Result<T> {
        url.clone_into(&mut self.request.url);
        let response = self.respond()?;
        if !(200..300).contains(&response.status) {
            return Err(refusal(&response, self.has_token));
        }
        read(&response)
    }

    /// Sends it, and returns any response.
    fn respond(&self) -> Result<Response> {
        if pause_end(self.name).is_some_and(|end| clock::now() < end) {
            return Err(CloudError::Unavailable);
        }
        let response = http::send(&self.request).and_then(|response| match response.body.len() {
            0..=RESPONSE => Ok(response),
            _ => Err(HttpError::TooLarge),
        });
        let response = response.map_err(|error| unanswered(self.name, &error))?;
        if matches!(response.status, 429 | 503) {
            pause(self.name, &response);
        }
        Ok(response)
    }
}

/// Reads the discovery document.
pub fn document(url: &str) -> Result<Response> {
    let mut call = Call::get("discovery").shared();
    url.clone_into(&mut call.request.url);
    let response = call.respond()?;
    (response.status == 200)
        .then_some(response)
        .ok_or(CloudError::Unavailable)
}

/// The body of a response.
pub fn read<T: DeserializeOwned>(response: &Response) -> Result<T> {
    let kind = response.header("Content-Type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(CloudError::Unavailable);
    }
    serde_json::from_slice(&response.body).map_err(|_| CloudError::Unavailable)
}

fn unanswered(name: &str, error: &HttpError) -> CloudError {
    // The operator's configuration or the cloud is wrong; the other errors are those of a network.
    match error {
        HttpError::Denied(reason) => log::warn(&format!("{name}: the server refuses the request: {reason}")),
        HttpError::TooLarge => log::warn(&format!("{name}: the response of the cloud is too large")),
        _ => {}
    }
    CloudError::Unavailable
}

#[derive(Deserialize)]
struct Refusal {
    code: String,
}

/// What a refusal means. One without a code says that the endpoint has moved.
fn refusal(response: &Response, has_token: bool) -> CloudError {
    let refusal: Option<Refusal> = read(response).ok();
    let Some(code) = refusal
        .map(|refusal| refusal.code)
        .filter(|code| forms::is_code(code))
    else {
        if response.status == 404 {
            endpoints::forget();
        }
        return CloudError::Unavailable;
    };
    match (response.status, code.as_str()) {
        (401, "token_invalid") if has_token => CloudError::Rejected,
        (401, "credential_invalid") => CloudError::Refused(code),
        (404, "target_unavailable") => CloudError::TargetUnavailable,
        (400 | 403 | 404 | 409, _) => CloudError::Refused(code),
        _ => CloudError::Unavailable,
    }
}

fn pause_end(name: &str) -> Option<u64> {
    let stored = state::get(&format!("{PAUSE}{name}"))?;
    std::str::from_utf8(&stored).ok()?.parse().ok()
}

/// Remembers that the cloud wants no requests to this endpoint for a while. To other endpoints they are sent: one that
/// limits invitations does not keep people from signing in.
fn pause(name: &str, response: &Response) {
    let seconds = response
        .header("Retry-After")
        .and_then(|value| value.trim().parse::<u64>().ok());
    let Some(seconds) = seconds.map(|seconds| seconds.min(LONGEST_PAUSE)) else {
        return;
    };
    let end = clock::now().saturating_add(seconds * 1000).to_string();
    if let Err(error) = state::set(&format!("{PAUSE}{name}"), Some(end.as_bytes())) {
        log::warn(&format!(
            "{name}: the pause that the cloud asked for is not kept: {error}"
        ));
    }
}
