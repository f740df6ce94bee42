//! A server with its own directory and database.

use std::net::IpAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use salvo::conn::SocketAddr;
use salvo::http::body::Body as _;
use salvo::http::uri::Scheme;
use salvo::http::{HeaderMap, ReqBody, Version};
use salvo::{ConnCtrl, Request, Response, Service};
use serde_json::Value;

use crate::{INSTANCE, LISTED_ORIGIN};
use svc_api::router;
use svc_api::state::AppState;
use svc_contract::Contract;
use svc_domain::id::{IdGenerator, SessionId, UserId};
use svc_domain::kind::MediaKind;
use svc_domain::release_channel::ReleaseChannel;
use svc_domain::time::{Clock, SystemClock, Timestamp};
use svc_events::EventLimits;
use svc_host::app;
use svc_host::app::Environment;
use svc_host::config::Config;
use svc_http_io::connection::Connection;
use svc_http_io::proxy::ProxyConfig;
use svc_identity::app::App;
use svc_identity::cloud::{Cloud, NoCloud};
use svc_identity::password::Passwords;
use svc_identity::throttle::LoginLimits;
use svc_library::server::BuildInfo;
use svc_library::waveforms::{WaveformAnalyzer, WaveformLimits, Waveforms};
use svc_platform::disk_cache::DiskCache;
use svc_platform::random::SystemRandom;
use svc_plugin_host::{BuiltIn, Compiler, Plugins};
use svc_store::{Instance, NewUser, Store, StoreOptions};
use svc_test_support::databases::sqlite_url;

/// The machine's clock, moved by as much as a test likes, or stopped.
#[derive(Debug, Default)]
pub(crate) struct TestClock {
    moved: AtomicI64,
    stopped_at: OnceLock<Timestamp>,
}

impl TestClock {
    pub(crate) fn advance(&self, by: Duration) {
        self.moved.fetch_add(by.as_millis() as i64, Ordering::SeqCst);
    }

    pub(crate) fn step_back(&self, by: Duration) {
        self.moved.fetch_sub(by.as_millis() as i64, Ordering::SeqCst);
    }

    /// From now on it goes on only by `advance`.
    pub(crate) fn stop(&self) {
        self.stopped_at.get_or_init(|| SystemClock.now());
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        let now = self.stopped_at.get().copied();
        let now = now.unwrap_or_else(|| SystemClock.now());
        Timestamp::from_millis(now.millis() + self.moved.load(Ordering::SeqCst))
    }
}

/// What a server can be started with.
pub(crate) struct TestServerOptions {
    pub(crate) setup_token: Option<&'static str>,
    pub(crate) dev: bool,
    pub(crate) kiosk: bool,
    pub(crate) cloud: Arc<dyn Cloud>,
    pub(crate) login_limits: LoginLimits,
    pub(crate) proxy_config: ProxyConfig,
    /// Where requests come from.
    pub(crate) peer: IpAddr,
    pub(crate) event_limits: EventLimits,
    /// Who measures waveforms instead of the plugins.
    pub(crate) analyzer: Option<(Arc<dyn WaveformAnalyzer>, WaveformLimits)>,
    /// PostgreSQL instead of SQLite.
    pub(crate) database_url: Option<String>,
    pub(crate) plugins: Vec<BuiltIn>,
}

impl Default for TestServerOptions {
    fn default() -> Self {
        Self {
            setup_token: None,
            dev: false,
            kiosk: false,
            cloud: Arc::new(NoCloud),
            login_limits: LoginLimits::default(),
            proxy_config: ProxyConfig::default(),
            peer: IpAddr::from([192, 0, 2, 1]),
            event_limits: EventLimits::default(),
            analyzer: None,
            database_url: None,
            plugins: Vec::new(),
        }
    }
}

/// A server of its own, with what tests reach behind the API for.
pub(crate) struct TestServer {
    pub(crate) service: Service,
    pub(crate) state: Arc<AppState>,
    pub(crate) store: Store,
    pub(crate) passwords: Passwords,
    pub(crate) ids: Arc<IdGenerator>,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) plugins: Plugins,
    pub(crate) peer: IpAddr,
    pub(crate) root: PathBuf,
    pub(crate) database_url: String,
    pub(crate) directory: tempfile::TempDir,
    pub(crate) app: app::App,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|_| panic!("{} {:?}", self.status, String::from_utf8_lossy(&self.body)))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

impl TestServer {
    pub(crate) async fn start() -> Self {
        Self::start_with(TestServerOptions::default()).await
    }

    pub(crate) async fn start_with(options: TestServerOptions) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let root = at("music");
        std::fs::create_dir(&root).unwrap();
        let url = options.database_url.unwrap_or_else(|| sqlite_url(&directory));
        let clock = Arc::new(TestClock::default());
        let pool = StoreOptions {
            postgres_connections: 4,
        };
        let config = Config {
            data_dir: directory.path().to_owned(),
            listen: ([127, 0, 0, 1], 0).into(),
            media: vec![(MediaKind::music(), root.clone())],
            database_url: url.clone(),
            plugin_dir: None,
            dev: options.dev,
            kiosk: options.kiosk,
            setup_token: options.setup_token.map(str::to_owned),
            release_channel: ReleaseChannel::Stable,
            trusted_proxies: options.proxy_config.trusted_proxies,
            base_url: options.proxy_config.base_url,
            thumbnail_cache_mib: 16,
        };
        let environment = Environment {
            clock: clock.clone(),
            random: Arc::new(SystemRandom),
            cloud: options.cloud,
            store: pool.clone(),
            compiler: Compiler::InProcess,
            plugins: options.plugins,
            scan_threads: 1,
            event_limits: options.event_limits,
            login_limits: options.login_limits,
            origins: vec![LISTED_ORIGIN.to_owned()],
            build: BuildInfo {
                version: "1.2.3",
                runtime: "rustc 1.95.0",
                crypto: "aws-lc-rs 1.0.0",
                wasmtime: "48.0.8",
                build_tag: "dev-0-261121T000000".into(),
            },
        };
        let first = Instance {
            instance_id: INSTANCE.into(),
            created_at: clock.now(),
        };
        let store = Store::open(&url, pool).await.unwrap();
        store.create_instance_if_absent(&first).await.unwrap();
        store.close().await;
        let mut app = app::App::open(config, environment).await.unwrap();
        if let Some((analyzer, limits)) = options.analyzer {
            let cache = DiskCache::new(at("waveforms"), 1 << 20, Arc::new(SystemClock));
            let (store, events) = (app.context.store.clone(), app.services.events.clone());
            app.services.waveforms = Waveforms::with(store, analyzer, cache, events, limits);
        }
        let state = app.state();
        Self {
            service: router::service(Arc::clone(&state)),
            state,
            store: app.context.store.clone(),
            passwords: app.passwords.clone(),
            ids: Arc::clone(&app.context.ids),
            clock,
            plugins: app.plugins.clone(),
            peer: options.peer,
            root,
            database_url: url,
            directory,
            app,
        }
    }

    pub(crate) fn id<T: From<i64>>(&self) -> T {
        self.ids.next(self.clock.now())
    }

    /// Sends a request; headers as they are, a body as it is.
    pub(crate) async fn send(
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

    /// Sends a request whose body may come piece by piece, and gives the response before any of its body is read.
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
            // There is no socket that an answer could have for itself.
            .version(Version::HTTP_2)
            .extension(Connection::default())
            .header("host", "localhost");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let sent = SentRequest {
            method: method.to_owned(),
            target: target.to_owned(),
        };
        let request = Request::from_hyper(request.body(body).unwrap(), Scheme::HTTP);
        let peer = SocketAddr::from(std::net::SocketAddr::from((self.peer, 50_000)));
        let handler = self.service.hyper_handler(
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

    pub(crate) async fn get(&self, target: &str) -> Reply {
        self.send("GET", target, &[], "").await
    }

    pub(crate) async fn get_as(&self, token: &str, target: &str) -> Reply {
        self.send(
            "GET",
            target,
            &[("authorization", &format!("Bearer {token}"))],
            "",
        )
        .await
    }

    pub(crate) async fn post(&self, target: &str, body: &Value) -> Reply {
        self.send(
            "POST",
            target,
            &[("content-type", "application/json")],
            &body.to_string(),
        )
        .await
    }

    pub(crate) async fn send_as(&self, token: &str, method: &str, target: &str, body: &Value) -> Reply {
        let bearer = format!("Bearer {token}");
        let headers = [
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
        ];
        self.send(method, target, &headers, &body.to_string()).await
    }

    /// Adds an account with these roles, behind the API: hashing a password takes its time.
    pub(crate) async fn user(&self, name: &str, is_owner: bool, roles: &[&str]) -> UserId {
        let now = self.clock.now();
        let new = NewUser {
            id: self.id(),
            username: name.to_owned(),
            username_key: name.to_owned(),
            display_name: None,
            password_hash: None,
            is_owner,
            is_guest: false,
            created_at: now,
        };
        let mut change = self.store.change_identity().await.unwrap();
        assert!(change.insert_user(&new).await.unwrap());
        for role in roles {
            change.assign_role(new.id, role, now).await.unwrap();
        }
        change.commit().await.unwrap();
        new.id
    }

    /// Makes the owner, `ada`, behind the API; gives an access token.
    pub(crate) async fn owner(&self) -> String {
        self.token(self.user("ada", true, &["owner"]).await)
    }

    /// Who is known, but may nothing.
    pub(crate) async fn caller_without_roles(&self) -> String {
        self.token(self.user("nobody", false, &[]).await)
    }

    /// An access token of an account, of no session.
    pub(crate) fn token(&self, user: UserId) -> String {
        self.token_of(user, None)
    }

    pub(crate) fn token_of(&self, user: UserId, session: Option<SessionId>) -> String {
        let keys = self.state.keys.current();
        keys.access_tokens
            .issue(user, App::Admin, session, self.clock.now(), &SystemRandom)
            .unwrap()
    }
}

/// What was asked for, beside its answer.
#[derive(Debug, Clone)]
struct SentRequest {
    method: String,
    target: String,
}

/// Holds an answer against the API's own description.
fn check(sent: &SentRequest, reply: &Reply, is_whole: bool) {
    static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
        let document = serde_json::to_value(svc_api::openapi::document());
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

/// A response with its whole body; of a stream of events, which has no end, the head alone. It must be one that the
/// API's description tells of.
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
    let reply = Reply {
        status: response.status_code.unwrap().as_u16(),
        headers: response.headers().clone(),
        body,
    };
    if let Some(sent) = response.extensions.get::<SentRequest>() {
        check(sent, &reply, !is_stream);
    }
    reply
}
