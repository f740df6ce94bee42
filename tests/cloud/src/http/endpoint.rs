//! Between salvo and the handlers: reads the request, runs the handler, sends the response or what a failure switch makes
//! of it.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use salvo::http::header::{CONTENT_LENGTH, HeaderName, LOCATION};
use salvo::http::{HeaderValue, ResBody, StatusCode};
use salvo::{ConnCtrl, Depot, FlowCtrl, Handler, Request, Response, async_trait};

use crate::cloud::Cloud;
use crate::error::{Error, Refusal};
use crate::http::call::Call;
use crate::http::failures::{Failure, Switches};
use crate::http::reply::Reply;
use crate::http::routes::Run;
use crate::limits::network;

/// Longest body of a request.
const BODY_BYTES: usize = 64 << 10;
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// State of all endpoints.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) cloud: Cloud,
    pub(crate) switches: Option<Arc<Switches>>,
    pub(crate) trusted_proxies: Vec<IpAddr>,
}

/// A route as salvo calls it.
pub(crate) struct Endpoint {
    pub(crate) shared: Arc<Shared>,
    pub(crate) name: &'static str,
    pub(crate) run: Run,
}

/// How a response is sent.
enum Sending {
    Whole(Reply),
    /// Byte by byte, with a pause after each.
    Dripping(Reply, Duration),
    /// Half of the body, then the end of the connection.
    Truncated(Reply),
    /// The end of the connection.
    Nothing,
}

#[async_trait]
impl Handler for Endpoint {
    async fn handle(&self, req: &mut Request, _: &mut Depot, res: &mut Response, _: &mut FlowCtrl) {
        let failure = self
            .shared
            .switches
            .as_ref()
            .and_then(|switches| switches.meet(self.name));
        let sending = match failure {
            None => Sending::Whole(self.answer(req).await),
            Some(failure) => self.fail(failure, req).await,
        };
        match sending {
            Sending::Whole(reply) => send(res, &reply, ResBody::Once(reply.body.clone())),
            Sending::Dripping(reply, pause) => {
                let bytes = stream::iter(reply.body.clone()).then(move |byte| async move {
                    tokio::time::sleep(pause).await;
                    Ok::<_, std::io::Error>(Bytes::from(vec![byte]))
                });
                send(res, &reply, ResBody::stream(bytes));
            }
            Sending::Truncated(reply) => {
                let half = reply.body.slice(..reply.body.len() / 2);
                let broken = std::io::Error::other("truncated by a failure switch");
                send(
                    res,
                    &reply,
                    ResBody::stream(stream::iter([Ok(half), Err(broken)])),
                );
            }
            Sending::Nothing => {
                if let Some(connection) = req.extensions().get::<ConnCtrl>() {
                    connection.abort();
                }
                std::future::pending::<()>().await;
            }
        }
    }
}

impl Endpoint {
    async fn answer(&self, req: &mut Request) -> Reply {
        let call = match self.read(req).await {
            Ok(call) => call,
            Err(refusal) => return Reply::of_error(&refusal.into()),
        };
        (self.run)(&self.shared.cloud, &call)
            .await
            .unwrap_or_else(|error| {
                if !matches!(error, Error::Refused(_)) {
                    tracing::error!(%error, endpoint = self.name, "request failed");
                }
                Reply::of_error(&error)
            })
    }

    async fn read(&self, req: &mut Request) -> Result<Call, Refusal> {
        let address = self.client_address(req);
        let is_loopback = req
            .remote_addr()
            .ip()
            .is_some_and(|address| address.is_loopback());
        let body = req.payload_with_max_size(BODY_BYTES).await.cloned();
        Ok(Call {
            id: req.param("id").unwrap_or_default(),
            query: req.uri().query().unwrap_or_default().to_owned(),
            headers: req.headers().clone(),
            body: body.map_err(|_| Refusal::InvalidRequest("the body is longer than 64 KiB"))?,
            network: address.map_or_else(String::new, network),
            is_loopback,
            switches: self.shared.switches.clone(),
        })
    }

    /// The client's address: the last one of `X-Forwarded-For` that is no trusted proxy, if a trusted proxy sent it.
    fn client_address(&self, req: &Request) -> Option<IpAddr> {
        let is_trusted = |address: &IpAddr| self.shared.trusted_proxies.contains(&address.to_canonical());
        let peer = req.remote_addr().ip()?;
        if !is_trusted(&peer) {
            return Some(peer);
        }
        let values = req
            .headers()
            .get_all(FORWARDED_FOR)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let listed: Vec<&str> = values.flat_map(|value| value.split(',')).map(str::trim).collect();
        let client = listed
            .iter()
            .rev()
            .map_while(|text| text.parse::<IpAddr>().ok())
            .find(|ip| !is_trusted(ip));
        Some(client.unwrap_or(peer))
    }

    async fn fail(&self, failure: Failure, req: &mut Request) -> Sending {
        let whole = |status, content_type, body| Sending::Whole(Reply::odd(status, content_type, body));
        match failure {
            Failure::Down => Sending::Nothing,
            Failure::BlackHole => std::future::pending().await,
            Failure::Slow { milliseconds } => {
                tokio::time::sleep(Duration::from_millis(milliseconds)).await;
                Sending::Whole(self.answer(req).await)
            }
            Failure::Drip { milliseconds } => {
                Sending::Dripping(self.answer(req).await, Duration::from_millis(milliseconds))
            }
            Failure::Garbage => whole(
                StatusCode::OK,
                "application/json",
                Bytes::from_static(b"\xff\xfe{\"a\":"),
            ),
            Failure::Html => whole(
                StatusCode::OK,
                "text/html",
                Bytes::from_static(b"<html><h1>Welcome to this hotel</h1></html>"),
            ),
            Failure::OtherShape => whole(
                StatusCode::OK,
                "application/json",
                Bytes::from_static(b"{\"unexpected\":[true]}"),
            ),
            Failure::DuplicateKeys => {
                let mut reply = self.answer(req).await;
                reply.body = repeat_members(&reply.body);
                Sending::Whole(reply)
            }
            Failure::Truncate => Sending::Truncated(self.answer(req).await),
            Failure::WrongAccount { public_user_id } => {
                Sending::Whole(name_account(self.answer(req).await, public_user_id))
            }
            Failure::Revoked => Sending::Whole(Reply::of_error(&Refusal::TokenInvalid.into())),
            Failure::Redirect { location } => Sending::Whole(redirect(&location)),
            Failure::Oversize { bytes } => {
                let mut reply = self.answer(req).await;
                let mut body = reply.body.to_vec();
                body.resize(bytes.max(body.len()), b' ');
                reply.body = body.into();
                Sending::Whole(reply)
            }
            Failure::Refuse { status, code } => {
                Sending::Whole(Reply::refusal(status, &code, "refused by a failure switch"))
            }
            Failure::Error => Sending::Whole(Reply::refusal(
                500,
                "internal_error",
                "failed by a failure switch",
            )),
        }
    }
}

/// Replaces the id of the account in a body.
fn name_account(mut reply: Reply, public_user_id: String) -> Reply {
    if let Ok(mut body) = serde_json::from_slice::<serde_json::Value>(&reply.body)
        && let Some(id) = body.get_mut("publicUserId")
    {
        *id = public_user_id.into();
        reply.body = body.to_string().into();
    }
    reply
}

/// Repeats the members of a JSON object.
fn repeat_members(body: &[u8]) -> Bytes {
    let members = body.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}"));
    match members {
        Some(members) if !members.is_empty() => [&b"{"[..], members, b",", members, b"}"].concat().into(),
        _ => Bytes::copy_from_slice(body),
    }
}

fn redirect(location: &str) -> Reply {
    let mut reply = Reply::odd(StatusCode::FOUND, "text/plain", Bytes::new());
    if let Ok(location) = HeaderValue::from_str(location) {
        reply.set(LOCATION, location);
    }
    reply
}

fn send(res: &mut Response, reply: &Reply, body: ResBody) {
    res.status_code(reply.status);
    res.headers_mut().extend(reply.headers.clone());
    res.headers_mut()
        .insert(CONTENT_LENGTH, HeaderValue::from(reply.body.len()));
    res.replace_body(body);
}
