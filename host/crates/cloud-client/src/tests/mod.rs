//! Tests of what plugins may request, over real connections to servers of these tests.

mod addresses;
mod hostile;
mod load;
mod responses;
mod rules;
mod server;
mod state;
mod tls;

use std::collections::VecDeque;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use url::Url;

use crate::egress::EgressOptions;
use crate::http_client::{EgressClient, Times};
use crate::lookup::Lookup;
use svc_platform::tasks::Tasks;
use svc_plugin_host::cloud::{HostFuture, HttpClient as _, HttpError, HttpHeader, HttpRequest, HttpResponse};

/// Short enough for a test, long enough for a machine that is busy.
const TIMES: Times = Times {
    connect: Duration::from_secs(2),
    total: Duration::from_secs(4),
};

/// A resolver that answers each lookup with the next of its answers, and then with the last again.
#[derive(Debug)]
struct ScriptedLookup {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    asked: Mutex<Vec<String>>,
}

impl ScriptedLookup {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |answer: &&[&str]| answer.iter().map(|text| text.parse().unwrap()).collect();
        Arc::new(Self {
            answers: Mutex::new(answers.iter().map(parse).collect()),
            asked: Mutex::default(),
        })
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Lookup for ScriptedLookup {
    fn addresses<'a>(&'a self, host: &'a str) -> HostFuture<'a, io::Result<Vec<IpAddr>>> {
        self.asked.lock().unwrap().push(host.to_owned());
        let mut answers = self.answers.lock().unwrap();
        let next = if answers.len() > 1 {
            answers.pop_front()
        } else {
            answers.front().cloned()
        };
        Box::pin(async move { next.ok_or_else(|| io::ErrorKind::NotFound.into()) })
    }
}

/// What an administrator configures for a cloud at this URL.
fn options(url: &str) -> EgressOptions {
    EgressOptions {
        urls: vec![Url::parse(url).unwrap()],
        ..EgressOptions::default()
    }
}

fn client_of(options: &EgressOptions, lookup: Arc<dyn Lookup>) -> EgressClient {
    EgressClient::with_times(options, Tasks::default(), lookup, TIMES).unwrap()
}

/// A client of the cloud at this URL; names of hosts are those of this machine.
fn client(url: &str) -> EgressClient {
    client_of(&options(url), ScriptedLookup::new(&[&["127.0.0.1"]]))
}

fn get(url: impl Into<String>) -> HttpRequest {
    HttpRequest {
        method: "GET".into(),
        url: url.into(),
        headers: Vec::new(),
        body: None,
        flight: None,
    }
}

fn header(name: &str, value: &str) -> HttpHeader {
    HttpHeader {
        name: name.to_owned(),
        value: value.to_owned(),
    }
}

async fn send(client: &EgressClient, request: HttpRequest) -> Result<HttpResponse, HttpError> {
    client.send(request).await
}

#[track_caller]
fn assert_denied(outcome: &Result<HttpResponse, HttpError>, what: &str) {
    assert!(
        matches!(outcome, Err(HttpError::Denied(_))),
        "{what}: {outcome:?}"
    );
}
