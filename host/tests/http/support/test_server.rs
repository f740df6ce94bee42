//! A server with its own directory and database: the router, services, plugin host and store that `app` builds.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use salvo::http::ReqBody;
use salvo::{Response, Service};
use serde_json::Value;

use super::client::{Client, Reply};
use crate::{INSTANCE, LISTED_ORIGIN};
use svc_api::router;
use svc_api::state::SharedState;
use svc_domain::id::{IdGenerator, SessionId, UserId};
use svc_domain::kind::MediaKind;
use svc_domain::release_channel::ReleaseChannel;
use svc_domain::session::PersonalAccessToken;
use svc_domain::time::{Clock, SystemClock, Timestamp};
use svc_events::EventLimits;
use svc_host::app;
use svc_host::app::Environment;
use svc_host::config::{CloudConfig, Config};
use svc_http_io::proxy::ProxyConfig;
use svc_identity::app::App;
use svc_identity::capability::Capability;
use svc_identity::cloud::{Cloud, NoCloud};
use svc_identity::password::Passwords;
use svc_identity::secret_token::PersonalAccessSecret;
use svc_identity::throttle::LoginLimits;
use svc_library::server::BuildInfo;
use svc_library::waveforms::{WaveformAnalyzer, WaveformLimits, Waveforms};
use svc_platform::disk_cache::DiskCache;
use svc_platform::random::SystemRandom;
use svc_plugin_host::{BuiltIn, Compiler, Plugins};
use svc_store::{Instance, NewUser, Store, StoreOptions};
use svc_test_support::databases::sqlite_url;

/// The system clock with an offset, or stopped.
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

    /// Only `advance` moves the clock afterwards.
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

/// How a server is started.
pub(crate) struct TestServerOptions {
    pub(crate) setup_token: Option<&'static str>,
    pub(crate) dev: bool,
    pub(crate) kiosk: bool,
    pub(crate) cloud: Arc<dyn Cloud>,
    /// The options about the cloud, which `cloud` stands for.
    pub(crate) cloud_config: CloudConfig,
    pub(crate) login_limits: LoginLimits,
    pub(crate) proxy_config: ProxyConfig,
    /// The address of the clients.
    pub(crate) peer: IpAddr,
    pub(crate) event_limits: EventLimits,
    /// Replaces the plugins for waveforms.
    pub(crate) analyzer: Option<(Arc<dyn WaveformAnalyzer>, WaveformLimits)>,
    /// PostgreSQL instead of SQLite.
    pub(crate) database_url: Option<String>,
    pub(crate) plugins: Vec<BuiltIn>,
    /// Kinds with a media directory besides music; each directory has the name of its kind.
    pub(crate) roots: Vec<&'static str>,
}

impl Default for TestServerOptions {
    fn default() -> Self {
        Self {
            setup_token: None,
            dev: false,
            kiosk: false,
            cloud: Arc::new(NoCloud),
            cloud_config: CloudConfig::default(),
            login_limits: LoginLimits::default(),
            proxy_config: ProxyConfig::default(),
            peer: IpAddr::from([192, 0, 2, 1]),
            event_limits: EventLimits::default(),
            analyzer: None,
            database_url: None,
            plugins: Vec::new(),
            roots: Vec::new(),
        }
    }
}

/// A server, and its parts that tests access directly.
pub(crate) struct TestServer {
    pub(crate) service: Arc<Service>,
    pub(crate) state: SharedState,
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

impl TestServer {
    pub(crate) async fn start() -> Self {
        Self::start_with(TestServerOptions::default()).await
    }

    pub(crate) async fn start_with(options: TestServerOptions) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let root = at("music");
        std::fs::create_dir(&root).unwrap();
        let mut media = vec![(MediaKind::music(), root.clone())];
        for kind in options.roots {
            std::fs::create_dir(at(kind)).unwrap();
            media.push((kind.parse().unwrap(), at(kind)));
        }
        let url = options.database_url.unwrap_or_else(|| sqlite_url(&directory));
        let clock = Arc::new(TestClock::default());
        let pool = StoreOptions {
            postgres_connections: 4,
        };
        let config = Config {
            data_dir: directory.path().to_owned(),
            listen: ([127, 0, 0, 1], 0).into(),
            media,
            database_url: url.clone(),
            plugin_dir: None,
            dev: options.dev,
            kiosk: options.kiosk,
            setup_token: options.setup_token.map(str::to_owned),
            release_channel: ReleaseChannel::Stable,
            trusted_proxies: options.proxy_config.trusted_proxies,
            base_url: options.proxy_config.base_url,
            thumbnail_cache_mib: 16,
            cloud: options.cloud_config,
        };
        let environment = Environment {
            clock: clock.clone(),
            random: Arc::new(SystemRandom),
            cloud: Some(options.cloud),
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
                committed_at: Some(Timestamp::from_millis(1_793_491_200_000)),
            },
        };
        let first = Instance {
            instance_id: INSTANCE.into(),
            created_at: clock.now(),
        };
        let store = Store::open(&url, pool).await.unwrap();
        store.instance.create_instance_if_absent(&first).await.unwrap();
        store.database.close().await;
        let mut app = app::App::open(config, environment).await.unwrap();
        if let Some((analyzer, limits)) = options.analyzer {
            let cache = DiskCache::new(at("waveforms"), 1 << 20, Arc::new(SystemClock));
            let (store, events) = (app.store.clone(), app.services.events.clone());
            app.services.waveforms = Waveforms::with(store.files, analyzer, cache, events, limits).unwrap();
        }
        let state = app.state();
        Self {
            service: Arc::new(router::service(Arc::clone(&state))),
            state,
            store: app.store.clone(),
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

    /// A client without a credential.
    pub(crate) fn anonymous(&self) -> Client {
        Client::anonymous(Arc::downgrade(&self.service), self.peer)
    }

    pub(crate) fn with_token(&self, token: &str) -> Client {
        self.anonymous().with_token(token)
    }

    /// A client with an access token of an account, which belongs to no session.
    pub(crate) fn client(&self, user: UserId) -> Client {
        self.client_of_session(user, None)
    }

    pub(crate) fn client_of_session(&self, user: UserId, session: Option<SessionId>) -> Client {
        let keys = self.state.keys.current();
        let token = keys
            .access_tokens
            .issue(user, App::Admin, session, self.clock.now(), &SystemRandom);
        self.with_token(&token.unwrap())
    }

    /// Adds the owner, `ada`, without a password.
    pub(crate) async fn as_owner(&self) -> Client {
        self.client(self.user("ada", true, &["owner"]).await)
    }

    /// Adds an account with these roles, without a password.
    pub(crate) async fn as_user(&self, name: &str, roles: &[&str]) -> Client {
        self.client(self.user(name, false, roles).await)
    }

    /// Adds an account without roles, `nobody`.
    pub(crate) async fn as_nobody(&self) -> Client {
        self.as_user("nobody", &[]).await
    }

    /// Adds a personal access token of an account, with these of its capabilities or with all.
    pub(crate) async fn as_token(&self, user: UserId, narrowed: Option<&[Capability]>) -> Client {
        let secret = PersonalAccessSecret::generate(&SystemRandom).unwrap();
        let token = PersonalAccessToken {
            id: self.id(),
            user,
            label: "test".into(),
            hint: secret.hint().into(),
            capabilities: narrowed.map(|set| set.iter().map(|one| one.as_str().to_owned()).collect()),
            created_by: None,
            created_at: self.clock.now(),
            expires_at: None,
            last_used_at: None,
        };
        let mut change = self.store.identity.change_identity().await.unwrap();
        change
            .insert_personal_access_token(&token, &secret.hash())
            .await
            .unwrap();
        change.commit().await.unwrap();
        self.with_token(secret.secret())
    }

    /// Adds an account with these roles, without a password, which would have to be hashed.
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
        let mut change = self.store.identity.change_identity().await.unwrap();
        assert!(change.insert_user(&new).await.unwrap());
        for role in roles {
            change.assign_role(new.id, role, now).await.unwrap();
        }
        change.commit().await.unwrap();
        new.id
    }

    /// Sends a request without a credential but those in `headers`.
    pub(crate) async fn send(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Reply {
        self.anonymous().request(method, target, headers, body).await
    }

    /// Does the same, and returns the response before any of its body is read.
    pub(crate) fn begin(
        &self,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: ReqBody,
    ) -> impl Future<Output = Response> + Send + use<> {
        self.anonymous().begin(method, target, headers, body)
    }

    pub(crate) async fn get(&self, target: &str) -> Reply {
        self.anonymous().get(target).await
    }

    pub(crate) async fn post(&self, target: &str, body: &Value) -> Reply {
        self.anonymous().post(target, body).await
    }
}
