//! A running server, as its administrator's tools reach it: over its API, with a personal access token.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use data_encoding::HEXLOWER;
use rustls::crypto::aws_lc_rs;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value as Json, json};
use sha2::{Digest as _, Sha256};
use svc_plugin_host::signature_path;
use ureq::tls::{TlsConfig, TlsProvider};
use ureq::unversioned::multipart::{Form, Part};
use ureq::{Agent, AsSendBody, http};

use crate::error::KitError;
use crate::managed::{ManagedPlugin, ManagedPlugins, Permission, PreviewReport};
use crate::purge::{KnownKind, PurgeQuestion, PurgeReport};
use crate::refusal::Refusal;
use crate::run_log::ErroredFile;

/// The server compiles plugins and reads files while a request waits.
const TIMEOUT: Duration = Duration::from_secs(200);
/// Interval of looks at a job.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Bytes of an answer, at most: a preview of 200 files.
const ANSWER_BYTES: u64 = 64 << 20;

/// A server.
#[derive(Debug)]
pub struct Server {
    agent: Agent,
    url: String,
    token: Option<String>,
}

impl Server {
    /// The server at a base URL such as `https://media.example.org`.
    pub fn new(url: &str, token: Option<String>) -> Self {
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(Arc::new(aws_lc_rs::default_provider()))
            .build();
        let config = Agent::config_builder()
            .timeout_global(Some(TIMEOUT))
            .http_status_as_error(false)
            .tls_config(tls)
            .build();
        Self {
            agent: config.new_agent(),
            url: url.trim_end_matches('/').to_owned(),
            token,
        }
    }

    /// All plugins.
    ///
    /// # Errors
    /// The server refuses or does not answer.
    pub fn plugins(&self) -> Result<ManagedPlugins, KitError> {
        let plugins = self.send("GET", "", None)?;
        Ok(ManagedPlugins { plugins })
    }

    /// One plugin.
    ///
    /// # Errors
    /// As [`Server::plugins`].
    pub fn plugin(&self, id: &str) -> Result<ManagedPlugin, KitError> {
        self.send("GET", &format!("/{id}"), None)
    }

    /// Uploads a plugin, with the signature beside its file. Returns the SHA-256 of the file as well.
    ///
    /// # Errors
    /// The file or its signature cannot be read; as [`Server::plugins`].
    pub fn upload(&self, file: &Path, hold: bool) -> Result<(ManagedPlugin, String), KitError> {
        let component = fs::read(file).map_err(KitError::file(file))?;
        let digest = HEXLOWER.encode(Sha256::digest(&component).as_slice());
        let signature = signature_path(file);
        let signature = match fs::read(&signature) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(KitError::file(&signature)(error)),
        };
        let component = Part::bytes(&component).file_name("plugin.wasm");
        let mut form = Form::new().part("plugin", component);
        if let Some(signature) = &signature {
            form = form.part("signature", Part::bytes(signature));
        }
        let content_type = format!("multipart/form-data; boundary={}", form.boundary());
        let path = format!("/plugins?hold={hold}");
        let plugin = self.call("POST", &path, Some(content_type), form)?;
        Ok((plugin, digest))
    }

    /// Changes a plugin: `{"grants": […], "digest": …}`, `{"enabled": …}`, `{"settings": {…}}`, `{"action": "release"}`.
    ///
    /// # Errors
    /// As [`Server::plugins`].
    pub fn update(&self, id: &str, change: &Json) -> Result<ManagedPlugin, KitError> {
        self.send("PATCH", &format!("/{id}"), Some(change))
    }

    /// Grants a version of a plugin everything that it asks for: the one with this digest, or else the one that waits, or
    /// else the one in use.
    ///
    /// # Errors
    /// No such version is in use or waits; as [`Server::plugins`].
    pub fn grant_all(&self, id: &str, digest: Option<&str>) -> Result<ManagedPlugin, KitError> {
        let plugin = self.plugin(id)?;
        let (digest, asked) = match digest {
            Some(digest) => plugin.with_digest(digest).ok_or_else(|| changed(id, digest))?,
            None => plugin.to_grant(),
        };
        let names: Vec<&String> = asked.iter().map(|permission| &permission.name).collect();
        self.update(id, &json!({ "grants": names, "digest": digest }))
    }

    /// Grants these permissions in addition to the version that waits, or else to the one in use.
    ///
    /// # Errors
    /// As [`Server::grant_all`].
    pub fn grant(
        &self,
        id: &str,
        permissions: &[String],
        digest: Option<&str>,
    ) -> Result<ManagedPlugin, KitError> {
        let plugin = self.plugin(id)?;
        let (digest, asked) = match digest {
            Some(digest) => plugin.with_digest(digest).ok_or_else(|| changed(id, digest))?,
            None => plugin.to_grant(),
        };
        let mut grants = granted(asked);
        grants.extend(permissions);
        self.update(id, &json!({ "grants": grants, "digest": digest }))
    }

    /// Takes permissions away from the version in use; all without names.
    ///
    /// # Errors
    /// As [`Server::plugins`].
    pub fn revoke(&self, id: &str, permissions: Option<&[String]>) -> Result<ManagedPlugin, KitError> {
        let plugin = self.plugin(id)?;
        let mut grants = granted(&plugin.permissions);
        grants.retain(|name| permissions.is_some_and(|taken| !taken.contains(name)));
        self.update(id, &json!({ "grants": grants, "digest": plugin.digest }))
    }

    /// Sets settings, given as texts `KEY=VALUE`; without a value, the default is restored.
    ///
    /// # Errors
    /// A text has no `=`; as [`Server::plugins`].
    pub fn set(&self, id: &str, settings: &[String]) -> Result<ManagedPlugin, KitError> {
        let plugin = self.plugin(id)?;
        let mut values = Map::new();
        for setting in settings {
            let (key, value) = setting.split_once('=').ok_or_else(|| KitError::Argument {
                what: format!("`{setting}` is not a setting"),
                next: "write `KEY=VALUE`, or `KEY=` for the default".to_owned(),
            })?;
            values.insert(key.to_owned(), plugin.setting_of_text(key, value));
        }
        self.update(id, &json!({ "settings": values }))
    }

    /// Previews the version that waits.
    ///
    /// # Errors
    /// As [`Server::plugins`].
    pub fn preview(&self, id: &str, files: u32) -> Result<PreviewReport, KitError> {
        self.send("POST", &format!("/{id}/preview?files={files}"), None)
    }

    /// Puts the version before the one in use back.
    ///
    /// # Errors
    /// As [`Server::plugins`].
    pub fn roll_back(&self, id: &str) -> Result<ManagedPlugin, KitError> {
        self.send("POST", &format!("/{id}/rollback"), None)
    }

    /// Discards the version that waits.
    ///
    /// # Errors
    /// As [`Server::plugins`].
    pub fn discard(&self, id: &str) -> Result<ManagedPlugin, KitError> {
        self.send("DELETE", &format!("/{id}/candidate"), None)
    }

    /// Removes a plugin that was uploaded.
    ///
    /// # Errors
    /// As [`Server::plugins`].
    pub fn remove(&self, id: &str) -> Result<(), KitError> {
        self.send::<bool>("DELETE", &format!("/{id}"), None).map(drop)
    }

    /// What to ask before a purge. The state of the kind is missing where the token may not read it.
    pub fn purge_question(&self, kind: &str) -> PurgeQuestion {
        let kinds: Result<Vec<KnownKind>, KitError> = self.send_to("GET", "/kinds", None);
        let mut kinds = kinds.into_iter().flatten();
        PurgeQuestion {
            kind: kind.to_owned(),
            known: kinds.find(|known| known.kind == kind),
        }
    }

    /// Deletes all items of a kind that no plugin reads, and waits until it is done.
    ///
    /// # Errors
    /// As [`Server::plugins`].
    pub fn purge(&self, kind: &str) -> Result<PurgeReport, KitError> {
        let job = json!({ "type": "purge_kind", "parameters": { "mediaKind": kind } });
        let mut report: PurgeReport = self.send_to("POST", "/jobs", Some(&job))?;
        while report.is_open() {
            pause(LOOK_EVERY);
            report = self.send_to("GET", &format!("/jobs/{}", report.job_id), None)?;
        }
        Ok(report)
    }

    /// The ids of the latest runs of the indexer, latest first.
    pub(crate) fn latest_runs(&self) -> Result<Vec<String>, KitError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Run {
            run_id: String,
        }
        let (runs, _): (Vec<Run>, u64) = self.send_to("GET", "/index/runs?take=20", None)?;
        Ok(runs.into_iter().map(|run| run.run_id).collect())
    }

    /// Files that a run could not read, oldest entry first, and how many there are.
    pub(crate) fn errored_files(&self, run: &str, skip: u64) -> Result<(Vec<ErroredFile>, u64), KitError> {
        let path = format!("/index/run/logs?runId={run}&event=file_errored&take=1000&skip={skip}");
        self.send_to("GET", &path, None)
    }

    /// Sends a request about plugins with a JSON body, or without a body.
    fn send<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        body: Option<&Json>,
    ) -> Result<T, KitError> {
        self.send_to(method, &format!("/plugins{path}"), body)
    }

    fn send_to<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        body: Option<&Json>,
    ) -> Result<T, KitError> {
        match body {
            Some(body) => self.call(
                method,
                path,
                Some("application/json".to_owned()),
                body.to_string(),
            ),
            None => self.call(method, path, None, ()),
        }
    }

    fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        path: &str,
        content_type: Option<String>,
        body: impl AsSendBody,
    ) -> Result<T, KitError> {
        let unreachable = |reason: String| KitError::Unreachable {
            server: self.url.clone(),
            reason,
        };
        let mut request = http::Request::builder()
            .method(method)
            .uri(format!("{}/api/v1{path}", self.url));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        let request = request
            .body(body)
            .map_err(|error| unreachable(error.to_string()))?;
        let mut response = self
            .agent
            .run(request)
            .map_err(|error| unreachable(error.to_string()))?;
        let status = response.status();
        let body = response
            .body_mut()
            .with_config()
            .limit(ANSWER_BYTES)
            .read_to_vec()
            .map_err(|error| unreachable(error.to_string()))?;
        if !status.is_success() {
            let refusal = Refusal::of(method, path, status.as_u16(), &body);
            return Err(KitError::Refused(refusal));
        }
        serde_json::from_slice(&body).map_err(|error| unreachable(format!("not an answer of svc: {error}")))
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the thread waits for a server, and does nothing else"
)]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

fn granted(permissions: &[Permission]) -> Vec<&String> {
    let granted = permissions.iter().filter(|permission| permission.granted);
    granted.map(|permission| &permission.name).collect()
}

fn changed(id: &str, digest: &str) -> KitError {
    KitError::Argument {
        what: format!("no version of `{id}` with the digest {digest} is in use or waits"),
        next: format!("look at it again: `svc plugin preview {id}`"),
    }
}
