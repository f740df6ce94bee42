//! The origins that the discovery document of an OpenID Connect issuer names: providers keep keys and tokens on other
//! hosts of their domain.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::Url;

use crate::egress::Rules;
use crate::limits;
use svc_plugin_host::cloud::{HttpError, HttpRequest, HttpResponse};

/// The document that was read last. Read by the host itself: what a plugin remembers of it does not count.
#[derive(Debug, Default)]
pub(crate) struct Discovery(Mutex<Option<Document>>);

#[derive(Debug)]
struct Document {
    read_at: Instant,
    origins: BTreeSet<String>,
}

impl Discovery {
    /// Whether the document names the origin. `read` sends the request for it.
    ///
    /// # Errors
    /// The document cannot be read.
    pub(crate) async fn names(
        &self,
        rules: &Rules,
        origin: &str,
        read: impl AsyncFnOnce(HttpRequest) -> Result<Arc<HttpResponse>, HttpError>,
    ) -> Result<bool, HttpError> {
        let Some(issuer) = rules.issuer() else {
            return Ok(false);
        };
        // Held while the document is read, so that requests that wait for it do not read it again.
        let mut document = self.0.lock().await;
        if let Some(document) = document
            .as_ref()
            .filter(|document| document.read_at.elapsed() < limits::DISCOVERY)
        {
            return Ok(document.origins.contains(origin));
        }
        let response = read(document_request(issuer)).await?;
        if response.status != 200 {
            // Not remembered: an issuer that fails for a moment would keep its users out for as long as a document counts.
            return Err(HttpError::Unreachable);
        }
        let origins = named_origins(rules, issuer, &response.body);
        let is_named = origins.contains(origin);
        *document = Some(Document {
            read_at: Instant::now(),
            origins,
        });
        Ok(is_named)
    }
}

fn document_request(issuer: &Url) -> HttpRequest {
    HttpRequest {
        method: "GET".to_owned(),
        url: format!(
            "{}/.well-known/openid-configuration",
            issuer.as_str().trim_end_matches('/')
        ),
        headers: Vec::new(),
        body: None,
        flight: None,
    }
}

/// The origins of the endpoints and of the keys, as far as the rules allow a document to name them.
fn named_origins(rules: &Rules, issuer: &Url, document: &[u8]) -> BTreeSet<String> {
    let document: Map<String, Value> = serde_json::from_slice(document).unwrap_or_default();
    let without_slash = |text: &str| text.trim_end_matches('/').to_owned();
    let named_issuer = document.get("issuer").and_then(Value::as_str).map(without_slash);
    if named_issuer != Some(without_slash(issuer.as_str())) {
        return BTreeSet::new();
    }
    let is_endpoint = |key: &str| key == "jwks_uri" || key.ends_with("_endpoint");
    document
        .iter()
        .filter(|(key, _)| is_endpoint(key))
        .filter_map(|(_, value)| Url::parse(value.as_str()?).ok())
        .filter(|url| rules.is_related(url))
        .map(|url| url.origin().ascii_serialization())
        .take(limits::DISCOVERED_ORIGINS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::egress::EgressOptions;

    fn rules(issuer: &str) -> Rules {
        let options = EgressOptions {
            issuer: Some(Url::parse(issuer).unwrap()),
            ..EgressOptions::default()
        };
        Rules::new(&options).unwrap()
    }

    fn named(issuer: &str, document: &Value) -> Vec<String> {
        let rules = rules(issuer);
        let named = named_origins(&rules, rules.issuer().unwrap(), document.to_string().as_bytes());
        named.into_iter().collect()
    }

    #[test]
    fn endpoints_of_the_same_domain_are_named() {
        let document = serde_json::json!({
            "issuer": "https://login.example.co.uk",
            "jwks_uri": "https://keys.example.co.uk/jwks",
            "token_endpoint": "https://token.example.co.uk/token",
            "authorization_endpoint": "https://login.example.co.uk/auth",
            "userinfo_endpoint": "https://other.co.uk/userinfo",
            "revocation_endpoint": "http://plain.example.co.uk/",
            "introspection_endpoint": "https://admin.example.co.uk:8443/",
            "end_session_endpoint": 7,
            "policy_uri": "https://policy.example.co.uk/",
        });
        let expected = [
            "https://keys.example.co.uk",
            "https://login.example.co.uk",
            "https://token.example.co.uk",
        ];
        assert_eq!(named("https://login.example.co.uk/", &document), expected);
        assert!(named("https://else.example.co.uk/", &document).is_empty());
    }

    #[tokio::test]
    async fn failure_of_the_issuer_is_not_remembered() {
        let (rules, discovery) = (rules("https://login.example.com"), Discovery::default());
        let names = async |status: u16| {
            let document = serde_json::json!({
                "issuer": "https://login.example.com",
                "jwks_uri": "https://keys.example.com/",
            });
            let response = HttpResponse {
                status,
                headers: Vec::new(),
                body: document.to_string().into_bytes(),
            };
            let origin = "https://keys.example.com";
            discovery
                .names(&rules, origin, async move |_| Ok(Arc::new(response)))
                .await
        };
        for status in [503, 404, 302] {
            assert_eq!(names(status).await, Err(HttpError::Unreachable), "{status}");
        }
        assert_eq!(names(200).await, Ok(true));
        assert_eq!(names(503).await, Ok(true), "the document counts for a while");
    }

    #[test]
    fn document_without_sense_names_nothing() {
        let rules = rules("https://login.example.com");
        for document in [
            "",
            "[]",
            "{",
            "{\"issuer\": null, \"jwks_uri\": \"https://keys.example.com\"}",
        ] {
            let named = named_origins(&rules, rules.issuer().unwrap(), document.as_bytes());
            assert!(named.is_empty(), "{document}");
        }
    }
}
