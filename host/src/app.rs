//! The composition root: the only module that knows all concrete types; it builds them in order.

use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use svc_api::state::{AppState, SharedState};
use svc_domain::erased::Erased;
use svc_domain::release_channel::ReleaseChannel;
use svc_domain::time::{Clock, SystemClock, Timestamp};
use svc_events::{EventLimits, Events};
use svc_http_io::proxy::ProxyConfig;
use svc_identity::Context;
use svc_identity::audit::BackgroundLog;
use svc_identity::cloud::Cloud;
use svc_identity::keys::{KeyRing, Keys};
use svc_identity::password::Passwords;
use svc_identity::throttle::LoginLimits;
use svc_indexer::indexing::{IndexAction, Indexing};
use svc_indexer::scan::Scanner;
use svc_library::maintenance::Maintenance;
use svc_library::plugins::stored_choices;
use svc_library::server::BuildInfo;
use svc_platform::data_dir::DataDir;
use svc_platform::random::{Random, SystemRandom, random_hex};
use svc_platform::secret_key::SecretKey;
use svc_platform::tasks::{self, Tasks};
use svc_plugin_host::{
    BuiltIn, Compiler, Component, IsolationPolicy, LimitCaps, PluginChoices, PluginSettings, Plugins,
};
use svc_plugin_kit::sandbox::HostOptions;
use svc_store::{IdNodeRepository, RENEW_ID_NODE_EVERY, Store, StoreOptions};

use crate::cloud;
use crate::cloud::of_files;
use crate::config::{self, Config};
use crate::installation;
use crate::plugin_kinds;
use crate::plugin_watch::PluginWatch;
use crate::services::{self, Dependencies};
use crate::start_error::StartError;

/// The plugins that are part of the program.
pub(crate) const BUILT_IN: &[BuiltIn] = include!(concat!(env!("OUT_DIR"), "/built_in_plugins.rs"));

/// What the server needs from its environment besides options. Tests replace parts of it.
#[derive(Debug)]
pub struct Environment {
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// Source of random numbers for secrets.
    pub random: Arc<dyn Random>,
    /// Stands for the cloud of the options.
    pub cloud: Option<Arc<dyn Cloud>>,
    /// Options of the database connections.
    pub store: StoreOptions,
    /// Where plugins are compiled.
    pub compiler: Compiler,
    /// The built-in plugins.
    pub plugins: Vec<BuiltIn>,
    /// Number of threads of a scan.
    pub scan_threads: usize,
    /// Limits of event streams.
    pub event_limits: EventLimits,
    /// Limits of wrong passwords.
    pub login_limits: LoginLimits,
    /// Allowed web origins besides that of the base URL.
    pub origins: Vec<String>,
    /// Version and build of the program.
    pub build: BuildInfo,
}

impl Environment {
    /// The environment of this machine, for a program of this release channel.
    ///
    /// # Errors
    /// The system does not report the path of this program or the number of threads.
    pub fn system(channel: ReleaseChannel) -> io::Result<Self> {
        let channel = channel.as_str();
        Ok(Self {
            clock: Arc::new(SystemClock),
            random: Arc::new(SystemRandom),
            cloud: None,
            store: StoreOptions::default(),
            compiler: Compiler::Child {
                program: std::env::current_exe()?,
            },
            plugins: of_files(BUILT_IN),
            scan_threads: std::thread::available_parallelism()?.get(),
            event_limits: EventLimits::default(),
            login_limits: LoginLimits::default(),
            origins: Vec::new(),
            build: BuildInfo {
                version: env!("CARGO_PKG_VERSION"),
                runtime: env!("SVC_RUSTC_VERSION"),
                crypto: env!("SVC_CRYPTO_VERSION"),
                wasmtime: env!("SVC_WASMTIME_VERSION"),
                build_tag: format!("{channel}-{}", env!("SVC_COMMIT")),
                committed_at: env!("SVC_COMMITTED_AT")
                    .parse::<i64>()
                    .ok()
                    .map(|seconds| Timestamp::from_millis(seconds.saturating_mul(1000))),
            },
        })
    }
}

/// A complete server that does not listen yet.
#[derive(Debug)]
pub struct App {
    /// All repositories.
    pub store: Store,
    /// Ids, clock, random numbers and background tasks.
    pub context: Context,
    /// The plugin host.
    pub plugins: Plugins,
    /// Hashes and verifies passwords.
    pub passwords: Passwords,
    /// The services behind the routes.
    pub services: AppState,
    /// The maintenance tasks.
    pub maintenance: Maintenance,
    /// Trusted proxies and base URL.
    pub proxy_config: ProxyConfig,
    data_dir: Arc<DataDir>,
}

impl App {
    /// Opens data directory, keys, database and plugins, in this order, and repairs the state that a crash left
    /// behind.
    ///
    /// # Errors
    /// The first of them that cannot be used; all of them remain intact.
    pub async fn open(config: Config, environment: Environment) -> Result<Self, StartError> {
        let (clock, random) = (Arc::clone(&environment.clock), Arc::clone(&environment.random));
        let data_dir = Arc::new(DataDir::open(&config.data_dir)?);
        let store = Store::open(&config.database_url, environment.store.clone()).await?;
        let (instance, signing_key) =
            installation::identify(&store.instance, &data_dir, random.as_ref(), clock.as_ref()).await?;
        let plugins = load_plugins(&config, &environment, &data_dir, &store).await?;
        // After the steps that may fail: the lease is released only on close.
        let ids = store
            .id_nodes
            .lease_id_node(Arc::clone(&clock), random_hex(random.as_ref())?)
            .await?;
        store.runs.fail_interrupted_runs(clock.now()).await?;
        store
            .directories
            .sync_directories(&config.media, &ids, clock.now())
            .await?;
        plugin_kinds::store_kinds(&store, &plugins).await?;
        plugin_kinds::log_unread_directories(&config.media, &plugins);
        let tasks = Tasks::default();
        tasks.spawn_until_end("id-node", renew_id_node(store.id_nodes.clone()));
        let context = Context {
            identity: store.identity.clone(),
            ids,
            clock,
            random,
            tasks,
        };
        let scanner = Scanner {
            index: store.index.clone(),
            directories: store.directories.clone(),
            plugins: plugins.clone(),
            ids: Arc::clone(&context.ids),
            clock: Arc::clone(&context.clock),
            threads: environment.scan_threads,
            tasks: context.tasks.clone(),
        };
        let log = BackgroundLog::new(
            store.audit.clone(),
            store.users.clone(),
            Arc::clone(&context.ids),
            Arc::clone(&context.clock),
        );
        let events = Events::new(environment.event_limits);
        let passwords = Passwords::start(Arc::clone(&context.random))?;
        let origin = config
            .base_url
            .iter()
            .map(|url| url.origin().ascii_serialization());
        let proxy_config = ProxyConfig {
            trusted_proxies: config.trusted_proxies.clone(),
            base_url: config.base_url.clone(),
        };
        let keys = KeyRing::new(Keys::new(&instance.instance_id, &signing_key));
        let cloud = match environment.cloud.clone() {
            Some(cloud) => cloud,
            None => {
                let host = cloud::CloudHostDependencies {
                    settings: plugin_settings(
                        &data_dir.keys()?,
                        data_dir.plugin_cache()?,
                        None,
                        &environment,
                    )?,
                    built_in: BUILT_IN,
                    state: store.plugin_state.clone(),
                    keys: keys.clone(),
                    context: context.clone(),
                };
                cloud::connect(&config.cloud, host, &plugins).await?
            }
        };
        let (services, maintenance) = services::build(Dependencies {
            context: context.clone(),
            store: store.clone(),
            log: log.clone(),
            data_dir: Arc::clone(&data_dir),
            keys,
            passwords: passwords.clone(),
            cloud,
            plugins: plugins.clone(),
            indexing: Indexing::new(scanner, store.runs.clone(), log, events.clone()),
            events,
            build: environment.build,
            origins: origin.chain(environment.origins).collect(),
            login_limits: environment.login_limits,
            proxy_config: proxy_config.clone(),
            config,
        })
        .await?;
        Ok(Self {
            store,
            context,
            plugins,
            passwords,
            services,
            maintenance,
            proxy_config,
            data_dir,
        })
    }

    /// The state that the routes share.
    pub fn state(&self) -> SharedState {
        Arc::new(Erased::new(self.services.clone()))
    }

    /// The watch of the plugin directory; `None` without one.
    pub fn plugin_watch(&self, config: &Config) -> Option<PluginWatch> {
        config.plugin_dir.as_ref().map(|_| PluginWatch {
            plugins: self.plugins.clone(),
            service: self.services.plugins.clone(),
            media: config.media.clone(),
        })
    }

    /// Stops the running scan and tasks, and closes the database.
    pub async fn close(self) {
        // An error means that no scan is running.
        let _ = self.services.indexing.act(IndexAction::Stop).await;
        self.services.indexing.wait_until_idle().await;
        self.context.tasks.end(tasks::END_WITHIN).await;
        if let Err(error) = self.store.id_nodes.release_id_node().await {
            tracing::warn!(%error, "the id node lease could not be released; it expires after five minutes");
        }
        self.store.database.close().await;
        drop(self.data_dir);
    }
}

/// Renews the lease of the node number periodically. A failed renewal is retried; each commit checks the lease as
/// well.
async fn renew_id_node(id_nodes: IdNodeRepository) {
    loop {
        tokio::time::sleep(RENEW_ID_NODE_EVERY).await;
        if let Err(error) = id_nodes.renew_id_node().await {
            tracing::warn!(%error, "the id node lease could not be renewed");
        }
    }
}

/// Loads the plugins for a command that reads single files, with a cache in the user's cache directory, independent
/// of a running server.
///
/// # Errors
/// As [`App::open`], for the plugins and their cache.
pub fn load_plugins_for_inspection(plugin_dir: Option<&Path>) -> Result<Plugins, StartError> {
    let mut options = inspection_host()?;
    options.settings.plugin_dir = plugin_dir.map(Path::to_owned);
    Ok(Plugins::load(&options.settings, &options.built_in)?)
}

/// The plugin host for commands that run without a server.
///
/// # Errors
/// The cache cannot be used.
pub fn inspection_host() -> Result<HostOptions, StartError> {
    let cache = config::user_cache_dir();
    let (keys, compiled) = (cache.join("keys"), cache.join("plugins"));
    for directory in [&keys, &compiled] {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)?;
    }
    let environment = Environment::system(ReleaseChannel::Stable)?;
    Ok(HostOptions {
        settings: plugin_settings(&keys, compiled, None, &environment)?,
        built_in: environment.plugins,
    })
}

fn plugin_settings(
    keys: &Path,
    cache_dir: PathBuf,
    plugin_dir: Option<PathBuf>,
    environment: &Environment,
) -> Result<PluginSettings, StartError> {
    let random = environment.random.as_ref();
    Ok(PluginSettings {
        cache_dir,
        cache_key: *SecretKey::load_or_create(&keys.join("plugin-cache.key"), random)?.bytes(),
        compiler: environment.compiler.clone(),
        plugin_dir,
        choices: PluginChoices::default(),
        kinds_in_use: None,
        isolation: IsolationPolicy::default(),
        caps: LimitCaps::default(),
    })
}

async fn load_plugins(
    config: &Config,
    environment: &Environment,
    data_dir: &DataDir,
    store: &Store,
) -> Result<Plugins, StartError> {
    let settings = PluginSettings {
        choices: stored_choices(&store.plugins, &store.kinds).await?,
        kinds_in_use: Some(config.media.iter().map(|(kind, _)| kind.clone()).collect()),
        ..plugin_settings(
            &data_dir.keys()?,
            data_dir.plugin_cache()?,
            config.plugin_dir.clone(),
            environment,
        )?
    };
    let built_in = environment.plugins.clone();
    Ok(tokio::task::spawn_blocking(move || Plugins::load(&settings, &built_in)).await??)
}
