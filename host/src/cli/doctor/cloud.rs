//! `svc doctor cloud`: the mode, what is configured, what is reached by a real request under the rules of the server, and
//! what is refused.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;
use serde_json::Value;
use svc_cloud_client::{EgressClient, PluginCloud};
use svc_domain::time::SystemClock;
use svc_identity::cloud::{Cloud as _, CloudError, CodeExchange, SignInRequest};
use svc_platform::tasks::Tasks;
use svc_plugin_host::cloud::{CloudHost, HttpClient as _, HttpError, HttpRequest, HttpResponse};
use url::Url;

use crate::app;
use crate::cli::doctor::memory_state::MemoryState;
use crate::cloud;
use crate::config::{CloudConfig, CloudMode, CloudOptions, CloudService};

/// Options of `svc doctor cloud`: those of the server that concern a cloud or a provider.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// TOML file with the options of the server
    #[arg(long, env = "SVC_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    cloud: CloudOptions,
}

/// Examines the configured cloud.
pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let config = CloudConfig::read(arguments.config.as_deref(), arguments.cloud)?;
    let report = crate::cli::runtime()?.block_on(examine(&config))?;
    Ok(if report.is_well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Writes lines, and remembers whether all is well.
struct Report {
    out: io::Stdout,
    is_well: bool,
}

impl Report {
    fn line(&mut self, label: &str, text: impl std::fmt::Display) -> io::Result<()> {
        writeln!(self.out, "{label:<14}{text}")
    }

    fn problem(&mut self, label: &str, text: impl std::fmt::Display) -> io::Result<()> {
        self.is_well = false;
        self.line(label, format!("does not work: {text}"))
    }
}

async fn examine(config: &CloudConfig) -> anyhow::Result<Report> {
    let mut report = Report {
        out: io::stdout(),
        is_well: true,
    };
    configured(config, &mut report)?;
    let host = app::inspection_host()?;
    let Some(component) = cloud::component(config, app::BUILT_IN)? else {
        report.line("reached", "nothing: the server calls nobody")?;
        return Ok(report);
    };
    let manifest = component.manifest();
    let place = if config.plugin.is_some() {
        "file"
    } else {
        "built-in"
    };
    report.line("plugin", format!("{} {}, {place}", manifest.id, manifest.version))?;
    let egress = EgressClient::new(&cloud::egress_options(config)?, Tasks::default())?;
    let parts = CloudHost {
        http: Arc::new(egress.clone()),
        state: Arc::new(MemoryState::default()),
        settings: Arc::new(()),
        clock: Arc::new(SystemClock),
    };
    let values = cloud::setting_values(config);
    let loaded = tokio::task::spawn_blocking(move || component.load(&host.settings, &values, parts)).await?;
    let client = match loaded {
        Ok(plugin) => PluginCloud::start(plugin, "doctor")
            .await
            .map_err(anyhow::Error::from),
        Err(error) => Err(error.into()),
    };
    let urls = requested(config);
    let mut is_reached = urls.is_empty();
    for url in urls {
        is_reached |= reach(&egress, &url, config, &mut report).await?;
    }
    match client {
        // Without the service, the plugin would only repeat what is known, and name features that nobody offers.
        Ok(client) if is_reached => ask(&client, config, &mut report).await?,
        Ok(_) => {}
        Err(error) => report.problem("plugin", format!("{error:#}"))?,
    }
    Ok(report)
}

/// The options, without secrets.
fn configured(config: &CloudConfig, report: &mut Report) -> io::Result<()> {
    report.line("mode", config.mode().as_str())?;
    if let Some(service) = cloud::service_name(config) {
        report.line("service", service)?;
    }
    if let CloudService::Oidc(oidc) = &config.service {
        report.line("client", &oidc.client_id)?;
        let secret = if oidc.client_secret.is_some() {
            "given"
        } else {
            "none: a public client"
        };
        report.line("secret", secret)?;
        if let Some(claim) = &oidc.groups_claim {
            report.line("groups", format!("from the claim {claim}"))?;
        }
    }
    for origin in &config.origins {
        report.line("origin", origin.origin().ascii_serialization())?;
    }
    for host in &config.private_hosts {
        report.line("private host", host)?;
    }
    if let Some(file) = &config.ca_file {
        report.line("authorities", file.display())?;
    }
    Ok(())
}

/// The addresses of the first requests.
fn requested(config: &CloudConfig) -> Vec<String> {
    match &config.service {
        CloudService::None => config
            .origins
            .iter()
            .map(|origin| origin.as_str().to_owned())
            .collect(),
        CloudService::Cloud(url) => url
            .join("/.well-known/svc-cloud")
            .map(String::from)
            .into_iter()
            .collect(),
        CloudService::Oidc(oidc) => {
            let issuer = oidc.issuer.trim_end_matches('/');
            vec![format!("{issuer}/.well-known/openid-configuration")]
        }
    }
}

/// Sends a request, and those that follow from its answer. Returns whether the plugin can be asked: the service answers, and
/// as the one that is configured.
async fn reach(
    egress: &EgressClient,
    url: &str,
    config: &CloudConfig,
    report: &mut Report,
) -> io::Result<bool> {
    let Some(response) = send(egress, url, report).await? else {
        return Ok(false);
    };
    let is_document = !matches!(config.service, CloudService::None);
    if is_document && response.status != 200 {
        report.problem(
            "discovery",
            format!("the answer is not a document, but status {}", response.status),
        )?;
        return Ok(false);
    }
    let document: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    if let CloudService::Cloud(url) = &config.service {
        let configured = url.as_str().trim_end_matches('/');
        if let Some(named) = other_origin(&document, configured) {
            let text = format!(
                "the cloud names addresses of {named}, and `cloud-url` is {configured}: they have to be the same; \
                 svc-cloud names the one of its option `--public-url`"
            );
            report.problem("discovery", text)?;
            return Ok(false);
        }
    }
    if let CloudService::Oidc(oidc) = &config.service {
        let named = document.get("issuer").and_then(Value::as_str).unwrap_or_default();
        if named != oidc.issuer {
            let text =
                format!("the provider names itself `{named}`: give this as `oidc-issuer`, letter by letter");
            report.problem("issuer", text)?;
            return Ok(false);
        }
        for key in ["jwks_uri", "token_endpoint"] {
            match document.get(key).and_then(Value::as_str) {
                // Any answer shows that the server may and can reach it; the plugin tries the client.
                Some(url) => drop(send(egress, url, report).await?),
                None => report.problem(key, "the discovery document does not name it")?,
            }
        }
    }
    Ok(true)
}

/// The origin of an endpoint in the document of a cloud that is not below the configured address.
fn other_origin(document: &Value, configured: &str) -> Option<String> {
    let endpoints = document.pointer("/versions/1/endpoints")?.as_object()?;
    let prefix = format!("{configured}/");
    let mut urls = endpoints.values().filter_map(Value::as_str);
    let other = urls.find(|url| !url.starts_with(&prefix))?;
    Some(Url::parse(other).ok()?.origin().ascii_serialization())
}

/// Sends a request and reports it.
async fn send(egress: &EgressClient, url: &str, report: &mut Report) -> io::Result<Option<HttpResponse>> {
    let started = Instant::now();
    let request = HttpRequest {
        method: "GET".to_owned(),
        url: url.to_owned(),
        headers: Vec::new(),
        body: None,
        flight: None,
    };
    let sent = egress.send(request).await;
    let millis = started.elapsed().as_millis();
    match sent {
        Ok(response) => {
            let is_encrypted = Url::parse(url).is_ok_and(|url| url.scheme() == "https");
            let certificate = if is_encrypted {
                "certificate valid"
            } else {
                "not encrypted"
            };
            let status = response.status;
            report.line(
                "reached",
                format!("{url} in {millis} ms, status {status}, {certificate}"),
            )?;
            Ok(Some(response))
        }
        Err(error) => {
            let label = if matches!(error, HttpError::Denied(_)) {
                "refused"
            } else {
                "not reached"
            };
            report.problem(
                label,
                format!("{url} after {millis} ms: {error}; {}", advice(&error)),
            )?;
            Ok(None)
        }
    }
}

/// What to do about an error.
fn advice(error: &HttpError) -> &'static str {
    match error {
        HttpError::Denied(_) => {
            "an origin is allowed by `cloud-origins`, a host with a private address by `cloud-private-hosts`"
        }
        HttpError::Unreachable => "see whether the name is right, and the service runs",
        HttpError::Timeout => "see whether a firewall drops the connection",
        HttpError::TooLarge => "it is not the service that is expected there",
        HttpError::Tls => "name the authority of a private certificate with `cloud-ca-file`",
    }
}

/// Asks the plugin what it can do, and a question that needs the service.
async fn ask(client: &PluginCloud, config: &CloudConfig, report: &mut Report) -> io::Result<()> {
    let features = client.features();
    let names = [
        ("accounts", features.accounts),
        ("sign-in", features.sign_in),
        ("logout", features.logout),
        ("invitations", features.invitations),
        ("licensing", features.licensing),
        ("releases", features.releases),
    ];
    let has: Vec<&str> = names
        .into_iter()
        .filter(|(_, has)| *has)
        .map(|(name, _)| name)
        .collect();
    report.line(
        "features",
        if has.is_empty() {
            "none".to_owned()
        } else {
            has.join(", ")
        },
    )?;
    if features.releases {
        let answer = client
            .release_channels()
            .await
            .map(|channels| format!("{} channels", channels.len()));
        answered("releases", answer, report)?;
    }
    if features.sign_in {
        let request = SignInRequest {
            redirect_uri: "https://doctor.invalid/".to_owned(),
            state: "doctor".to_owned(),
            nonce: "doctor".to_owned(),
            code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM".to_owned(),
        };
        let answer = client.sign_in_url(request).await;
        let answer = answer.map(|url| url.split('?').next().unwrap_or_default().to_owned());
        answered(
            "sign-in",
            answer.map(|url| format!("browsers are sent to {url}")),
            report,
        )?;
    }
    if let CloudService::Oidc(oidc) = &config.service {
        try_client(client, &oidc.issuer, report).await?;
    }
    if config.mode() == CloudMode::Plugin && !features.releases && !features.sign_in {
        report.line("plugin", "has no function that can be tried without a token")?;
    }
    Ok(())
}

/// Redeems a code that the provider has not issued. It checks client id and secret first, so the refusal of the code shows
/// that they are right (RFC 6749, 5.2).
async fn try_client(client: &PluginCloud, issuer: &str, report: &mut Report) -> io::Result<()> {
    let request = CodeExchange {
        code: "doctor".to_owned(),
        redirect_uri: "https://doctor.invalid/".to_owned(),
        nonce: "doctor".to_owned(),
        code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned(),
        issuer: Some(issuer.to_owned()),
    };
    match client.exchange(request).await {
        Err(CloudError::Rejected) => report.line(
            "client",
            "accepted by the provider, with the secret if there is one",
        ),
        _ => report.problem(
            "client",
            "the provider does not accept client id or secret; a line on standard error has its reason",
        ),
    }
}

fn answered(label: &str, answer: Result<String, CloudError>, report: &mut Report) -> io::Result<()> {
    match answer {
        Ok(answer) => report.line(label, answer),
        Err(CloudError::Unsupported) => report.line(label, "the service lacks it"),
        Err(CloudError::Refused(code)) => report.problem(label, format!("the service refuses it: {code}")),
        Err(_) => report.problem(
            label,
            "the service does not answer it as expected; a line on standard error says why",
        ),
    }
}
