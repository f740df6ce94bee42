//! A client of a test server: requests with the credential of one caller.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{LazyLock, Weak};

use salvo::conn::SocketAddr;
use salvo::http::body::Body as _;
use salvo::http::uri::Scheme;
use salvo::http::{HeaderMap, ReqBody, Version};
use salvo::{ConnCtrl, Request, Response, Service};
use serde_json::Value;
use svc_contract::Contract;

use svc_http_io::connection::Connection;

const JSON: (&str, &str) = ("content-type", "application/json");

/// Sends requests with the credential of one caller, or with none. It does not keep its server running.
#[derive(Clone)]
pub(crate) struct Client {
    service: Weak<Service>,
    peer: IpAddr,
    token: Option<String>,
}

impl Client {
    pub(crate) fn anonymous(service: Weak<Service>, peer: IpAddr) -> Self {
        Self {
            service,
            peer,
            token: None,
        }
    }

    /// The same client with this access token or personal access token.
    pub(crate) fn with_token(&self, token: &str) -> Self {
        Self {
            token: Some(token.to_owned()),
            ..self.clone()
        }
    }

    pub(crate) fn token(&self) -> &str {
        self.token.as_deref().unwrap_or_default()
    }

    pub(crate) async fn get(&self, target: &str) -> Reply {
        self.request("GET", target, &[], "").await
    }

    pub(crate) async fn post(&self, target: &str, body: &Value) -> Reply {
        self.send("POST", target, body).await
    }

    pub(crate) async fn put(&self, target: &str, body: &Value) -> Reply {
        self.send("PUT", target, body).await
    }

    pub(crate) async fn patch(&self, target: &str, body: &Value) -> Reply {
        self.send("PATCH", target, body).await
    }

    pub(crate) async fn delete(&self, target: &str) -> Reply {
        self.request("DELETE", target, &[], "").await
    }

    /// The status of `GET /users/current`, which tells whether the credential is accepted.
    pub(crate) async fn status(&self) -> u16 {
        self.get("/api/v1/users/current").await.status
    }

    /// Sends a JSON body.
    pub(crate) async fn send(&self, method: &str, target: &str, body: &Value) -> Reply {
        self.request(method, target, &[JSON], &body.to_string()).await
    }

    /// Sends bytes of this content type.
    pub(crate) async fn post_bytes(&self, target: &str, content_type: &str, body: Vec<u8>) -> Reply {
        let headers = [("content-type", content_type)];
        received(
            self.begin("POST", target, &headers, ReqBody::Once(body.into()))
                .await,
        )
        .await
    }

    /// Sends these headers beside the credential, and the body unchanged; none if it is empty.
    pub(crate) async fn request(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        let body = if body.is_empty() {
            ReqBody::None
        } else {
            ReqBody::Once(body.to_owned().into())
        };
        received(self.begin(method, target, headers, body).await).await
    }

    /// Sends a request whose body may come in pieces, and returns the response before any of its body is read.
    pub(crate) fn begin(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: ReqBody,
    ) -> impl Future<Output = Response> + Send + use<> {
        let mut request = salvo::hyper::Request::builder()
            .method(method)
            .uri(target)
            // HTTP/1.1 would let a handler take over the socket, which does not exist here.
            .version(Version::HTTP_2)
            .extension(Connection::default())
            .header("host", "localhost");
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let sent = SentRequest {
            method: method.to_owned(),
            target: target.to_owned(),
            client: self.clone(),
        };
        let request = Request::from_hyper(request.body(body).unwrap(), Scheme::HTTP);
        let peer = SocketAddr::from(std::net::SocketAddr::from((self.peer, 50_000)));
        let service = self.service.upgrade().expect("the server is running");
        let handler = service.hyper_handler(
            SocketAddr::Unknown,
            peer,
            Scheme::HTTP,
            None,
            ConnCtrl::new(),
            None,
        );
        async move {
            let mut response = handler.handle(request).await;
            response.extensions.insert(sent);
            response
        }
    }
}

/// The token, for requests that a test writes by itself.
impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.token())
    }
}

/// A response that was read to its end.
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    client: Option<Client>,
}

impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = String::from_utf8_lossy(&self.body);
        write!(f, "{} {:?} {body:?}", self.status, self.headers)
    }
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{} {:?}", self.status, String::from_utf8_lossy(&self.body)))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The `code` of an error.
    pub(crate) fn code(&self) -> Option<String> {
        self.json()["code"].as_str().map(str::to_owned)
    }

    /// A client with the access token that a login or refresh returned.
    pub(crate) fn client(&self) -> Client {
        let client = self.client.as_ref().unwrap();
        client.with_token(self.json()["JWT"].as_str().unwrap())
    }
}

/// The request of a response.
#[derive(Clone)]
struct SentRequest {
    method: String,
    target: String,
    client: Client,
}

/// Compares a response with the API description.
fn check(sent: &SentRequest, reply: &Reply, is_whole: bool) {
    static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
        let document = serde_json::to_value(svc_api::openapi::document(&svc_api::router::routes()));
        Contract::new(&document.unwrap())
    });
    let outcome = CONTRACT.check(svc_contract::Answer {
        method: &sent.method,
        target: &sent.target,
        status: reply.status,
        content_type: reply
            .headers
            .get("content-type")
            .map(|value| value.to_str().unwrap()),
        body: is_whole.then_some(&reply.body),
    });
    outcome.unwrap_or_else(|message| panic!("{message}"));
}

/// Reads a response to its end; of an event stream, which has no end, the head alone. Panics if the API description does
/// not declare it.
pub(crate) async fn received(mut response: Response) -> Reply {
    let mut content = response.take_body();
    let is_stream = response
        .headers()
        .get("content-type")
        .is_some_and(|v| v == "text/event-stream");
    let mut body = Vec::new();
    while !is_stream
        && let Some(frame) = std::future::poll_fn(|context| Pin::new(&mut content).poll_frame(context)).await
    {
        body.extend_from_slice(&frame.unwrap().into_data().unwrap_or_default());
    }
    let sent = response.extensions.get::<SentRequest>();
    let reply = Reply {
        status: response.status_code.unwrap().as_u16(),
        headers: response.headers().clone(),
        body,
        client: sent.map(|sent| sent.client.clone()),
    };
    if let Some(sent) = sent {
        check(sent, &reply, !is_stream);
    }
    reply
}

/// A body for a snapshot: ids are replaced by `[id]`, also within paths, and the time of creation by `[time]`.
pub(crate) fn redacted(body: Value) -> Value {
    // An id has 13 characters; that of a subtitle is composed of two.
    let is_id = |text: &str| {
        [13, 26].contains(&text.len())
            && text.starts_with(|first: char| first.is_ascii_digit())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    match body {
        Value::String(text) => {
            let parts = text.split('/');
            let parts = parts.map(|part| if is_id(part) { "[id]" } else { part });
            Value::String(parts.collect::<Vec<_>>().join("/"))
        }
        Value::Array(items) => items.into_iter().map(redacted).collect(),
        Value::Object(fields) => {
            // Sorted, whether or not `serde_json` preserves the order.
            let fields: BTreeMap<_, _> = fields.into_iter().collect();
            let redact = |(name, value): (String, Value)| {
                let value = match name.as_str() {
                    "createdAt" if value.is_string() => Value::String("[time]".to_owned()),
                    _ => redacted(value),
                };
                (name, value)
            };
            fields.into_iter().map(redact).collect()
        }
        other => other,
    }
}
