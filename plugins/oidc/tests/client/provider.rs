//! A provider in memory: what its endpoints respond can be changed by each test.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use oidc::client::{Client, Exchange};
use oidc::environment::{Environment, Request, Response};
use oidc::options::Options;
use serde_json::{Value, json};

use crate::signer::Signer;

pub(crate) const ISSUER: &str = "https://id.example/realm";
pub(crate) const NOW: i64 = 1_800_000_000;

pub(crate) struct Provider {
    pub(crate) now: Cell<i64>,
    pub(crate) state: RefCell<HashMap<String, Vec<u8>>>,
    pub(crate) requests: RefCell<Vec<Request>>,
    pub(crate) metadata: RefCell<Value>,
    pub(crate) keys: RefCell<Vec<Value>>,
    /// Status and body of the token endpoint.
    pub(crate) tokens: RefCell<(u16, Value)>,
    /// Type and body of the userinfo.
    pub(crate) userinfo: RefCell<(&'static str, String)>,
    /// Paths that cannot be reached.
    pub(crate) away: RefCell<Vec<&'static str>>,
}

/// Claims of a valid ID token.
pub(crate) fn id_claims() -> Value {
    json!({
        "iss": ISSUER, "sub": "ada-1", "aud": "svc", "exp": NOW + 300, "iat": NOW, "nonce": "n-1", "sid": "s-1",
        "preferred_username": "ada", "name": "Ada Lovelace", "realm_access": {"roles": ["media", "staff"]},
    })
}

pub(crate) fn header(signer: &Signer, kid: &str) -> Value {
    json!({"alg": signer.algorithm(), "kid": kid, "typ": "JWT"})
}

pub(crate) fn exchange() -> Exchange {
    Exchange {
        code: "code-1".to_owned(),
        redirect_uri: "https://media.example/callback".to_owned(),
        nonce: "n-1".to_owned(),
        code_verifier: "verifier-1".to_owned(),
        issuer: Some(ISSUER.to_owned()),
    }
}

/// A client of a provider that signs with this key.
pub(crate) fn client_of(signer: &Signer) -> Client<Provider> {
    let at = |path: &str| format!("{ISSUER}/{path}");
    let metadata = json!({
        "issuer": ISSUER,
        "authorization_endpoint": at("auth"),
        "token_endpoint": at("token"),
        "jwks_uri": at("keys"),
        "userinfo_endpoint": at("userinfo"),
        "revocation_endpoint": at("revoke"),
        "scopes_supported": ["openid", "profile", "email"],
        "id_token_signing_alg_values_supported": ["RS256", "ES256", "EdDSA"],
        "authorization_response_iss_parameter_supported": true,
    });
    let token = signer.sign(&header(signer, "k1"), &id_claims());
    let provider = Provider {
        now: Cell::new(NOW),
        state: RefCell::default(),
        requests: RefCell::default(),
        metadata: RefCell::new(metadata),
        keys: RefCell::new(vec![signer.jwk("k1")]),
        tokens: RefCell::new((
            200,
            json!({"access_token": "at-1", "id_token": token, "refresh_token": "rt-1"}),
        )),
        userinfo: RefCell::new(("application/json", json!({"sub": "ada-1"}).to_string())),
        away: RefCell::default(),
    };
    Client {
        environment: provider,
        options: Options {
            issuer: ISSUER.to_owned(),
            client_id: "svc".to_owned(),
            client_secret: Some("s&cret".to_owned()),
            groups_claim: Some(vec!["realm_access".to_owned(), "roles".to_owned()]),
        },
    }
}

impl Provider {
    /// Makes the token endpoint return this ID token.
    pub(crate) fn returns(&self, id_token: String) {
        self.tokens.borrow_mut().1["id_token"] = id_token.into();
    }

    /// The number of requests to a path.
    pub(crate) fn count(&self, path: &str) -> usize {
        let requests = self.requests.borrow();
        requests
            .iter()
            .filter(|request| request.url.ends_with(path))
            .count()
    }

    /// The form of the last request to a path.
    pub(crate) fn form(&self, path: &str) -> HashMap<String, String> {
        let requests = self.requests.borrow();
        let request = requests
            .iter()
            .rfind(|request| request.url.ends_with(path))
            .unwrap();
        form_urlencoded::parse(request.body.as_deref().unwrap())
            .into_owned()
            .collect()
    }
}

impl Environment for Provider {
    fn send(&self, request: Request) -> Result<Response, String> {
        let path = request.url.strip_prefix(ISSUER).unwrap_or_default().to_owned();
        self.requests.borrow_mut().push(request);
        if self.away.borrow().iter().any(|away| path.ends_with(away)) {
            return Err("the server cannot be reached".to_owned());
        }
        let (status, content_type, body) = match path.as_str() {
            "/.well-known/openid-configuration" => {
                (200, "application/json", self.metadata.borrow().to_string())
            }
            "/keys" => (
                200,
                "application/json",
                json!({"keys": *self.keys.borrow()}).to_string(),
            ),
            "/token" | "/revoke" => {
                let (status, body) = &*self.tokens.borrow();
                (*status, "application/json", body.to_string())
            }
            "/userinfo" => {
                let (content_type, body) = &*self.userinfo.borrow();
                (200, *content_type, body.clone())
            }
            _ => (404, "text/html", String::new()),
        };
        Ok(Response {
            status,
            headers: vec![(
                "Content-Type".to_owned(),
                format!("{content_type}; charset=utf-8"),
            )],
            body: body.into_bytes(),
        })
    }

    fn now(&self) -> i64 {
        self.now.get()
    }

    fn load(&self, key: &str) -> Option<Vec<u8>> {
        self.state.borrow().get(key).cloned()
    }

    fn store(&self, key: &str, value: &[u8]) {
        self.state.borrow_mut().insert(key.to_owned(), value.to_owned());
    }
}
