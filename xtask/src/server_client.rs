//! A client of a running server, with the calls that xtask needs.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use ureq::Agent;

/// Timeout of a request; long, because hashing a password on a busy small machine takes seconds.
const REQUEST_LIMIT: Duration = Duration::from_secs(30);

/// The credentials of an account.
#[derive(Clone)]
pub(crate) struct Credentials {
    pub(crate) username: String,
    pub(crate) password: String,
}

/// A server by its address, such as `http://127.0.0.1:8080`.
pub(crate) struct Client {
    agent: Agent,
    base: String,
}

/// A signed-in account.
pub(crate) struct Session<'a> {
    client: &'a Client,
    credentials: Credentials,
    token: String,
}

impl Client {
    pub(crate) fn new(base: &str) -> Self {
        let configuration = Agent::config_builder()
            .timeout_global(Some(REQUEST_LIMIT))
            .http_status_as_error(false)
            .proxy(None)
            .build();
        Self {
            agent: configuration.new_agent(),
            base: format!("{}/api/v1", base.trim_end_matches('/')),
        }
    }

    pub(crate) fn is_set_up(&self) -> Result<bool> {
        let (status, health) = self.get("health", None)?;
        match health.get("state").and_then(Value::as_str) {
            Some("not_setup") => Ok(false),
            Some(_) if status == 200 => Ok(true),
            _ => bail!("GET health: {status} {health}"),
        }
    }

    /// Creates the owner, with watching and schedule turned off, so that the server does only what is measured.
    pub(crate) fn set_up_quiet(&self, credentials: &Credentials) -> Result<()> {
        self.set_up_with(
            credentials,
            &json!({"watch_directories": false, "scan_schedule": "off"}),
        )
    }

    /// Creates the owner.
    pub(crate) fn set_up(&self, credentials: &Credentials) -> Result<()> {
        self.set_up_with(credentials, &json!({}))
    }

    fn set_up_with(&self, credentials: &Credentials, settings: &Value) -> Result<()> {
        let body = json!({
            "username": credentials.username,
            "password": credentials.password,
            "settings": settings,
        });
        match self.post("setup", None, &body)? {
            (201, _) => Ok(()),
            (status, answer) => bail!("POST setup: {status} {answer}"),
        }
    }

    pub(crate) fn log_in(&self, credentials: Credentials) -> Result<Session<'_>> {
        let token = self.token(&credentials)?;
        Ok(Session {
            client: self,
            credentials,
            token,
        })
    }

    /// The status of a sign-in with this address in the headers of a trusted proxy.
    pub(crate) fn log_in_from(&self, address: &str, credentials: &Credentials) -> Result<u16> {
        let body = json!({"username": credentials.username, "password": credentials.password});
        let request = self.agent.post(self.url("auth/login")).header("svc-app", "music");
        let request = request.header("x-forwarded-for", address);
        Ok(answer(request.send_json(&body).context("POST auth/login")?)?.0)
    }

    /// The API description.
    pub(crate) fn description(&self) -> Result<Value> {
        let url = self.base.trim_end_matches("/v1").to_owned() + "/docs-json";
        Ok(answer(self.agent.get(url).call().context("GET docs-json")?)?.1)
    }

    /// Signs in to a reference cloud at this address; returns a token that every server accepts.
    pub(crate) fn cloud_token(&self, credentials: &Credentials) -> Result<String> {
        let body = json!({"username": credentials.username, "password": credentials.password});
        let (status, answer) = self.post("session", None, &body)?;
        match answer.get("token").and_then(Value::as_str) {
            Some(token) => Ok(token.to_owned()),
            None => bail!("POST session: {status} {answer}"),
        }
    }

    fn token(&self, credentials: &Credentials) -> Result<String> {
        let body = json!({"username": credentials.username, "password": credentials.password});
        let (status, answer) = self.post("auth/login", None, &body)?;
        match answer.get("JWT").and_then(Value::as_str) {
            Some(token) => Ok(token.to_owned()),
            None => bail!("POST auth/login as {}: {status} {answer}", credentials.username),
        }
    }

    fn get(&self, path: &str, token: Option<&str>) -> Result<(u16, Value)> {
        let mut request = self.agent.get(self.url(path));
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        answer(request.call().with_context(|| format!("GET {path}"))?)
    }

    fn post(&self, path: &str, token: Option<&str>, body: &Value) -> Result<(u16, Value)> {
        let mut request = self.agent.post(self.url(path)).header("svc-app", "music");
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        answer(request.send_json(body).with_context(|| format!("POST {path}"))?)
    }

    fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.base)
    }
}

impl Session<'_> {
    pub(crate) fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// The access token.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Creates a user with role `member`; false when the server has no such endpoint.
    pub(crate) fn create_member(&self, credentials: &Credentials) -> Result<bool> {
        self.create(credentials, "member")
    }

    /// Creates a user with this role; false when the server has no such endpoint.
    pub(crate) fn create(&self, credentials: &Credentials, role: &str) -> Result<bool> {
        let body = json!({"username": credentials.username, "password": credentials.password, "role": role});
        match self.client.post("users", Some(&self.token), &body)? {
            (201, _) => Ok(true),
            (404 | 405, _) => Ok(false),
            (status, answer) => bail!("POST users: {status} {answer}"),
        }
    }

    /// Links the account to the cloud account of a token.
    pub(crate) fn link(&self, cloud_token: &str) -> Result<()> {
        self.post_as_cloud_account("users/current/cloud-link", cloud_token, &json!({}))
            .map(drop)
    }

    /// Creates an invitation on behalf of a cloud account; returns its id.
    pub(crate) fn invite(&self, cloud_token: &str, role: &str) -> Result<String> {
        let created = self.post_as_cloud_account("invitations", cloud_token, &json!({"role": role}))?;
        let id = created.get("invitationId").and_then(Value::as_str);
        Ok(id.context("POST invitations returns no invitation")?.to_owned())
    }

    fn post_as_cloud_account(&self, path: &str, cloud_token: &str, body: &Value) -> Result<Value> {
        let request = self.client.agent.post(self.client.url(path));
        let request = request
            .header("authorization", format!("Bearer {}", self.token))
            .header("svc-cloud-token", cloud_token);
        match answer(request.send_json(body).with_context(|| format!("POST {path}"))?)? {
            (201, answer) => Ok(answer),
            (status, answer) => bail!("POST {path}: {status} {answer}"),
        }
    }

    /// Starts a quick run, unless a run is active.
    pub(crate) fn start_quick_run(&self) -> Result<()> {
        match self
            .client
            .post("index/run", Some(&self.token), &json!({"type": "quick"}))?
        {
            (201 | 409, _) => Ok(()),
            (status, answer) => bail!("POST index/run: {status} {answer}"),
        }
    }

    /// Starts a run, polls until it ends, and returns it.
    pub(crate) fn index(&mut self, options: &Value, every: Duration) -> Result<Value> {
        let (status, run) = self.client.post("index/run", Some(&self.token), options)?;
        let Some(id) = run.get("runId").and_then(Value::as_str) else {
            bail!("POST index/run: {status} {run}");
        };
        let path = format!("index/runs/{id}");
        loop {
            std::thread::sleep(every);
            let run = self.get(&path)?;
            match run.get("status").and_then(Value::as_str) {
                Some("running") => {}
                // The run is stored before the indexer is idle again.
                Some("completed") if self.is_idle()? => return Ok(run),
                Some("completed") => {}
                _ => bail!("the run did not complete: {run}"),
            }
        }
    }

    /// Whether the server watches every directory with inotify.
    pub(crate) fn is_watching(&mut self) -> Result<bool> {
        let directories = self.get("index/directories")?;
        let directories = directories
            .as_array()
            .context("GET index/directories is no list")?;
        Ok(directories
            .iter()
            .all(|directory| directory.get("watcher").is_some_and(|state| state == "ok")))
    }

    /// Whether the run with which watching begins has ended.
    pub(crate) fn has_caught_up(&mut self) -> Result<bool> {
        let runs = self.get("index/runs?take=1")?;
        let is_of_watch = runs
            .pointer("/0/0/trigger")
            .is_some_and(|trigger| trigger == "watch");
        Ok(is_of_watch && self.is_idle()?)
    }

    /// Changes settings of the server.
    pub(crate) fn set(&self, settings: &Value) -> Result<()> {
        let body = json!({"app": null, "settings": settings});
        let request = self.client.agent.patch(self.client.url("settings"));
        let request = request
            .header("svc-app", "music")
            .header("authorization", format!("Bearer {}", self.token));
        match answer(request.send_json(&body).context("PATCH settings")?)? {
            (200, _) => Ok(()),
            (status, answer) => bail!("PATCH settings: {status} {answer}"),
        }
    }

    pub(crate) fn is_idle(&mut self) -> Result<bool> {
        let state = self.get("index/state")?;
        Ok(state.get("state").is_some_and(|state| state == "idle"))
    }

    /// The counts by kind, as text.
    pub(crate) fn counts(&mut self) -> Result<String> {
        let counts = self.get("index/counts")?;
        let counts = counts.as_object().context("GET index/counts is not an object")?;
        let words = counts
            .iter()
            .map(|(kind, number)| format!("{number} {}", spaced(kind)));
        Ok(words.collect::<Vec<_>>().join(", "))
    }

    /// Rates a track, which invalidates the cached responses of the account.
    pub(crate) fn change_a_rating(&mut self) -> Result<()> {
        let tracks = self.list_field("music/tracks?take=1", "musicTrackId")?;
        let track = tracks.first().context("there is no track")?;
        let body = json!({"mediaType": "music_track", "mediaId": track, "rating": 0.5});
        let request = self.client.agent.put(self.client.url("ratings"));
        let request = request.header("authorization", format!("Bearer {}", self.token));
        let status = request.send_json(&body).context("PUT ratings")?.status();
        if !status.is_success() {
            bail!("PUT ratings: {status}");
        }
        Ok(())
    }

    /// One field of each item of a list, `[items, total]`.
    pub(crate) fn list_field(&mut self, path: &str, field: &str) -> Result<Vec<String>> {
        let list = self.get(path)?;
        let items = list.get(0).and_then(Value::as_array);
        let items = items.with_context(|| format!("GET {path} is no list"))?;
        let values = items.iter().filter_map(|item| item.get(field)?.as_str());
        Ok(values.map(str::to_owned).collect())
    }

    /// Number of entries of the audit log.
    pub(crate) fn audit_lines(&mut self) -> Result<u64> {
        let total = self.get("audit?take=0")?.get(1).and_then(Value::as_u64);
        total.context("GET audit is no list")
    }

    /// Status and headers of a GET.
    pub(crate) fn head(&self, path: &str) -> Result<(u16, ureq::http::HeaderMap)> {
        let request = self.client.agent.get(self.client.url(path));
        let request = request.header("authorization", format!("Bearer {}", self.token));
        let response = request.call().with_context(|| format!("GET {path}"))?;
        Ok((response.status().as_u16(), response.headers().clone()))
    }

    pub(crate) fn get(&mut self, path: &str) -> Result<Value> {
        let (mut status, mut answer) = self.client.get(path, Some(&self.token))?;
        if matches!(status, 401 | 410) {
            // A long index run outlives the access token.
            self.token = self.client.token(&self.credentials)?;
            (status, answer) = self.client.get(path, Some(&self.token))?;
        }
        if status != 200 {
            bail!("GET {path}: {status} {answer}");
        }
        Ok(answer)
    }
}

/// The body as JSON; `null` if it is none.
fn answer(mut response: ureq::http::Response<ureq::Body>) -> Result<(u16, Value)> {
    let status = response.status().as_u16();
    let text = response
        .body_mut()
        .read_to_string()
        .context("the answer breaks off")?;
    Ok((status, serde_json::from_str(&text).unwrap_or(Value::Null)))
}

/// `musicFiles` as `music files`.
fn spaced(key: &str) -> String {
    let letters = key.chars().flat_map(|letter| {
        let space = letter.is_uppercase().then_some(' ');
        space.into_iter().chain(letter.to_lowercase())
    });
    letters.collect()
}
