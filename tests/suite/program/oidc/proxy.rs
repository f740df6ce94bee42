//! A proxy before the provider that changes ID tokens and signs them again with a key of its own, which it adds to the
//! provider's keys. It also changes logout tokens, and the issuer in the discovery document.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use aws_lc_rs::hmac;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use data_encoding::BASE64URL_NOPAD;
use serde_json::{Value, json};

/// What happens to a token.
#[derive(Clone, Default)]
pub(super) struct Mutation {
    /// Claims to set, or to remove if null.
    pub(super) claims: Vec<(&'static str, Value)>,
    /// Members of the header to set.
    pub(super) header: Vec<(&'static str, Value)>,
    pub(super) signature: Signature,
}

#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Signature {
    /// By the proxy's key.
    #[default]
    Valid,
    /// None at all.
    Empty,
    /// HMAC with the public key of the provider as secret.
    Hmac,
}

#[derive(Default)]
struct State {
    mutation: Option<Mutation>,
    /// Members of the discovery document to set.
    discovery: Vec<(&'static str, String)>,
    is_away: bool,
    is_silent: bool,
    /// Where `/relay` forwards to, and the bodies it forwarded.
    relay: String,
    relayed: Vec<String>,
    /// Requests to the token endpoint.
    token_requests: usize,
    /// What server and provider share: code verifiers and tokens.
    secrets: Vec<String>,
}

pub(super) struct Proxy {
    pub(super) issuer: String,
    key: Arc<EcdsaKeyPair>,
    state: Arc<Mutex<State>>,
}

impl Proxy {
    /// Listens before a provider on this port.
    pub(super) fn start(upstream: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(Mutex::new(State::default()));
        let key = Arc::new(new_key());
        let shared = (Arc::clone(&state), Arc::clone(&key));
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (state, key) = shared.clone();
                std::thread::spawn(move || serve(stream, upstream, &state, &key));
            }
        });
        Self { issuer, key, state }
    }

    /// Signs the ID tokens again, with this change.
    pub(super) fn mutate(&self, mutation: Mutation) {
        self.state.lock().unwrap().mutation = Some(mutation);
    }

    /// Sets a member of the discovery document.
    pub(super) fn name(&self, member: &'static str, url: &str) {
        let mut state = self.state.lock().unwrap();
        state.discovery.push((member, url.to_owned()));
    }

    /// A token of the provider, signed again with this change.
    pub(super) fn changed(&self, token: &str, mutation: &Mutation) -> String {
        signed_again(token, mutation, &self.key)
    }

    /// Lets the discovery document name another issuer, or its own again.
    pub(super) fn name_issuer(&self, issuer: Option<&str>) {
        let mut state = self.state.lock().unwrap();
        state.discovery.retain(|(member, _)| *member != "issuer");
        state
            .discovery
            .extend(issuer.map(|issuer| ("issuer", issuer.to_owned())));
    }

    /// Closes each connection without a response, or no more.
    pub(super) fn set_away(&self, is_away: bool) {
        self.state.lock().unwrap().is_away = is_away;
    }

    /// Answers no request, or all again.
    pub(super) fn set_silent(&self, is_silent: bool) {
        self.state.lock().unwrap().is_silent = is_silent;
    }

    pub(super) fn relay_to(&self, url: &str) {
        url.clone_into(&mut self.state.lock().unwrap().relay);
    }

    /// The bodies that the provider sent to `/relay`.
    pub(super) fn relayed(&self) -> Vec<String> {
        self.state.lock().unwrap().relayed.clone()
    }

    /// The code verifiers that the server sent, and the tokens that it got.
    pub(super) fn secrets(&self) -> Vec<String> {
        self.state.lock().unwrap().secrets.clone()
    }

    pub(super) fn token_requests(&self) -> usize {
        self.state.lock().unwrap().token_requests
    }
}

fn new_key() -> EcdsaKeyPair {
    let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
    let document = EcdsaKeyPair::generate_pkcs8(algorithm, &SystemRandom::new()).unwrap();
    EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref()).unwrap()
}

/// A request: method, target, headers, body.
type Incoming = (String, String, Vec<(String, String)>, Vec<u8>);

fn read(stream: &TcpStream) -> Option<Incoming> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim().split_once(':') {
            Some((name, value)) => headers.push((name.to_ascii_lowercase(), value.trim().to_owned())),
            None => break,
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, value)| value.parse().unwrap())];
    reader.read_exact(&mut body).ok()?;
    Some((method, target, headers, body))
}

fn serve(mut stream: TcpStream, upstream: u16, state: &Mutex<State>, key: &EcdsaKeyPair) {
    let Some((method, target, headers, body)) = read(&stream) else {
        return;
    };
    if state.lock().unwrap().is_silent {
        // Until the client closes the connection, in whichever way.
        let _ = stream.read_to_end(&mut Vec::new());
        return;
    }
    let (mutation, relay, discovery) = {
        let mut state = state.lock().unwrap();
        if state.is_away {
            return;
        }
        state.token_requests += usize::from(target == "/token");
        if target == "/relay" {
            state.relayed.push(String::from_utf8(body.clone()).unwrap());
        }
        if target == "/token" {
            let form = String::from_utf8_lossy(&body);
            let verifiers = form
                .split('&')
                .filter_map(|pair| pair.strip_prefix("code_verifier="));
            state.secrets.extend(verifiers.map(str::to_owned));
        }
        let discovery = state.discovery.clone();
        (state.mutation.clone(), state.relay.clone(), discovery)
    };
    let host = headers
        .iter()
        .find(|(name, _)| name == "host")
        .map(|(_, host)| host.clone());
    let url = match target.as_str() {
        "/relay" => relay,
        _ => format!("http://127.0.0.1:{upstream}{target}"),
    };
    let mut request = ureq::http::Request::builder()
        .method(method.as_str())
        .uri(url)
        .header("x-forwarded-host", host.unwrap_or_default())
        .header("x-forwarded-proto", "http");
    for (name, value) in &headers {
        if !["host", "connection", "content-length", "accept-encoding"].contains(&name.as_str()) {
            request = request.header(name, value);
        }
    }
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0);
    let agent: ureq::Agent = config.max_redirects_will_error(false).build().into();
    let response = match method.as_str() {
        "GET" => agent.run(request.body(()).unwrap()),
        _ => agent.run(request.body(body).unwrap()),
    };
    let mut response = match response {
        Ok(response) => response,
        Err(error) => {
            // The provider is being restarted.
            eprintln!("{method} {target}: {error}");
            return;
        }
    };
    let status = response.status().as_u16();
    let mut head = format!("HTTP/1.1 {status} Proxied\r\nconnection: close\r\n");
    for (name, value) in response.headers() {
        if !["connection", "content-length", "transfer-encoding"].contains(&name.as_str()) {
            head.push_str(&format!("{name}: {}\r\n", value.to_str().unwrap()));
        }
    }
    let mut body = response.body_mut().read_to_vec().unwrap();
    if status == 200 && target == "/.well-known/openid-configuration" {
        body = with_members(&body, &discovery);
    }
    if status == 200 && target == "/jwks" {
        body = with_own_keys(&body, key);
    }
    if let (200, "/token", Some(mutation)) = (status, target.as_str(), mutation) {
        body = mutated(&body, &mutation, key);
    }
    if (status, target.as_str()) == (200, "/token") {
        let tokens: Value = serde_json::from_slice(&body).unwrap();
        let names = ["access_token", "refresh_token", "id_token"];
        let tokens = names.into_iter().filter_map(|name| tokens[name].as_str());
        let mut state = state.lock().unwrap();
        state.secrets.extend(tokens.map(str::to_owned));
    }
    head.push_str(&format!("content-length: {}\r\n\r\n", body.len()));
    // The client may have hung up.
    let _ = stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(&body));
}

fn with_members(body: &[u8], members: &[(&'static str, String)]) -> Vec<u8> {
    let mut document: Value = serde_json::from_slice(body).unwrap();
    for (member, url) in members {
        document[*member] = json!(url);
    }
    document.to_string().into_bytes()
}

/// Adds the proxy's key, and a key of the provider whose id the proxy uses with another algorithm.
fn with_own_keys(body: &[u8], key: &EcdsaKeyPair) -> Vec<u8> {
    let mut set: Value = serde_json::from_slice(body).unwrap();
    let point = key.public_key().as_ref();
    let keys = set["keys"].as_array_mut().unwrap();
    let rsa = keys.iter().find(|key| key["kty"] == "RSA").unwrap();
    let rsa = json!({"kty": "RSA", "kid": "rsa", "n": rsa["n"], "e": rsa["e"]});
    keys.push(rsa);
    keys.push(json!({
        "kty": "EC", "crv": "P-256", "kid": "proxy", "use": "sig", "alg": "ES256",
        "x": BASE64URL_NOPAD.encode(&point[1..33]), "y": BASE64URL_NOPAD.encode(&point[33..]),
    }));
    set.to_string().into_bytes()
}

fn mutated(body: &[u8], mutation: &Mutation, key: &EcdsaKeyPair) -> Vec<u8> {
    let mut tokens: Value = serde_json::from_slice(body).unwrap();
    let token = tokens["id_token"].as_str().unwrap();
    let changed = signed_again(token, mutation, key);
    tokens["id_token"] = changed.into();
    tokens.to_string().into_bytes()
}

fn signed_again(token: &str, mutation: &Mutation, key: &EcdsaKeyPair) -> String {
    let claims = token.split('.').nth(1).unwrap();
    let mut claims: Value =
        serde_json::from_slice(&BASE64URL_NOPAD.decode(claims.as_bytes()).unwrap()).unwrap();
    for (name, value) in &mutation.claims {
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().remove(*name)),
            value => claims[*name] = value.clone(),
        }
    }
    let mut header = json!({"alg": "ES256", "kid": "proxy"});
    for (name, value) in &mutation.header {
        header[*name] = value.clone();
    }
    let part = |value: &Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
    let signed = format!("{}.{}", part(&header), part(&claims));
    let signature = match mutation.signature {
        Signature::Valid => key
            .sign(&SystemRandom::new(), signed.as_bytes())
            .unwrap()
            .as_ref()
            .to_vec(),
        Signature::Empty => Vec::new(),
        Signature::Hmac => {
            let secret = hmac::Key::new(hmac::HMAC_SHA256, key.public_key().as_ref());
            hmac::sign(&secret, signed.as_bytes()).as_ref().to_vec()
        }
    };
    format!("{signed}.{}", BASE64URL_NOPAD.encode(&signature))
}
