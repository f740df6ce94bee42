//! The composition root: the only place that knows all concrete types, and builds them in order.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::auth::password::Passwords;
use crate::auth::throttle::LoginLimits;
use crate::config::Config;
use crate::data_dir::{DataDir, DataDirError};
use crate::domain::id::IdGenerator;
use crate::domain::time::{Clock, SystemClock};
use crate::installation;
use crate::plugins::{
    BuiltIn, Compiler, IsolationPolicy, LimitCaps, PluginHostError, PluginSettings, Plugins,
};
use crate::random::{Random, SystemRandom, random_hex};
use crate::scan::Scanner;
use crate::secret_key::{SecretKey, SecretKeyError};
use crate::service::cloud::NoCloud;
use crate::service::error::ServiceError;
use crate::service::events::Events;
use crate::service::identity::Context;
use crate::service::identity::keys::{KeyRing, Keys};
use crate::service::indexing::{IndexAction, Indexing};
use crate::service::server::BuildInfo;
use crate::service::services::{Parts, Services};
use crate::store::{Instance, RENEW_ID_NODE_EVERY, Store, StoreError, StoreOptions};
use crate::tasks::{self, Tasks};

/// The plugins that are part of this program.
const BUILT_IN: &[BuiltIn] = include!(concat!(env!("OUT_DIR"), "/built_in_plugins.rs"));

/// Why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The data directory.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The services.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// A key.
    #[error(transparent)]
    Key(#[from] SecretKeyError),
    /// The plugin host.
    #[error(transparent)]
    Plugins(#[from] PluginHostError),
    /// The database is another one than before, or empty.
    #[error(
        "the data directory belongs to the installation {expected}, but the database {found}; restore the database, \
         or use another data directory for a new installation"
    )]
    OtherDatabase {
        /// By the file in the data directory.
        expected: String,
        /// What the database says.
        found: String,
    },
    /// The machine.
    #[error("{0}")]
    System(#[from] std::io::Error),
    /// A thread of the start failed.
    #[error("the plugins could not be loaded: {0}")]
    Thread(#[from] tokio::task::JoinError),
}

/// A complete server, not yet listening.
#[derive(Debug)]
pub struct App {
    /// The options.
    pub config: Arc<Config>,
    /// The index and all else that is stored.
    pub store: Store,
    /// Who reads media files.
    pub plugins: Plugins,
    /// Runs of the indexer.
    pub indexing: Indexing,
    /// Tells what happens.
    pub events: Events,
    /// Makes ids.
    pub ids: Arc<IdGenerator>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Gives secrets.
    pub random: Arc<dyn Random>,
    /// Which installation this is.
    pub instance: Instance,
    /// Signs what the server hands out.
    pub signing_key: SecretKey,
    /// What goes on in the background.
    pub tasks: Tasks,
    data_dir: Arc<DataDir>,
}

impl App {
    /// Opens data directory, keys, database and plugins, in this order, and repairs what a crash left behind.
    ///
    /// # Errors
    /// The first thing that cannot be used; nothing is damaged then.
    pub async fn open(config: Config) -> Result<Self, StartError> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let random: Arc<dyn Random> = Arc::new(SystemRandom);
        let config = Arc::new(config);
        let data_dir = Arc::new(DataDir::open(&config.data_dir)?);
        let store = Store::open(&config.database_url, StoreOptions::default()).await?;
        let (instance, signing_key) =
            installation::identify(&store, &data_dir, random.as_ref(), clock.as_ref()).await?;
        let plugins = load_plugins(&config, &data_dir, random.as_ref()).await?;
        // Last of what may well fail: a number is given back at the end only.
        let ids = store
            .lease_id_node(Arc::clone(&clock), random_hex(random.as_ref())?)
            .await?;
        store.fail_interrupted_runs(clock.now()).await?;
        store.sync_directories(&config.media, &ids, clock.now()).await?;
        let tasks = Tasks::default();
        tasks.spawn_until_end("id-node", keep_id_node(store.clone()));
        let threads = std::thread::available_parallelism()?.get();
        let scanner = Scanner {
            store: store.clone(),
            plugins: plugins.clone(),
            ids: Arc::clone(&ids),
            clock: Arc::clone(&clock),
            threads,
            tasks: tasks.clone(),
        };
        let events = Events::default();
        let indexing = Indexing::new(scanner, events.clone());
        Ok(Self {
            config,
            store,
            plugins,
            indexing,
            events,
            ids,
            clock,
            random,
            instance,
            signing_key,
            tasks,
            data_dir,
        })
    }

    /// The services that the API is made of.
    ///
    /// # Errors
    /// When the database does not answer, or the system gives no threads.
    pub async fn services(&self) -> Result<Services, StartError> {
        Ok(Services::open(Parts {
            context: self.context(),
            config: Arc::clone(&self.config),
            data_dir: Arc::clone(&self.data_dir),
            keys: KeyRing::new(Keys::new(&self.instance.instance_id, &self.signing_key)),
            passwords: Passwords::start(Arc::clone(&self.random))?,
            cloud: Arc::new(NoCloud),
            plugins: self.plugins.clone(),
            indexing: self.indexing.clone(),
            events: self.events.clone(),
            build: self.build_info(),
            origins: self
                .config
                .base_url
                .iter()
                .map(|url| url.origin().ascii_serialization())
                .collect(),
            login_limits: LoginLimits::default(),
        })
        .await?)
    }

    fn context(&self) -> Context {
        Context {
            store: self.store.clone(),
            ids: Arc::clone(&self.ids),
            clock: Arc::clone(&self.clock),
            random: Arc::clone(&self.random),
            tasks: self.tasks.clone(),
        }
    }

    fn build_info(&self) -> BuildInfo {
        BuildInfo {
            version: env!("CARGO_PKG_VERSION"),
            runtime: env!("SVC_RUSTC_VERSION"),
            crypto: env!("SVC_CRYPTO_VERSION"),
            wasmtime: env!("SVC_WASMTIME_VERSION"),
            build_tag: format!("{}-{}", self.config.release_channel.name(), env!("SVC_COMMIT")),
        }
    }

    /// Ends what is under way and closes the database.
    pub async fn close(self) {
        // An error means that no run is under way.
        let _ = self.indexing.act(IndexAction::Stop).await;
        self.indexing.wait_until_idle().await;
        self.tasks.end(tasks::END_WITHIN).await;
        if let Err(error) = self.store.release_id_node().await {
            tracing::warn!(%error, "this server's number for ids is kept for some minutes");
        }
        self.store.close().await;
        drop(self.data_dir);
    }
}

/// Keeps the lease of this server's number for ids. What fails is tried again: every commit holds the number as well.
async fn keep_id_node(store: Store) {
    loop {
        tokio::time::sleep(RENEW_ID_NODE_EVERY).await;
        if let Err(error) = store.renew_id_node().await {
            tracing::warn!(%error, "the lease of this server's number for ids was not extended");
        }
    }
}

/// Loads the plugins for a command that works on single files: with a cache of the user's own, beside any server.
///
/// # Errors
/// As [`App::open`], of the plugins and their cache.
pub fn load_plugins_for_inspection(plugin_dir: Option<&Path>) -> Result<Plugins, StartError> {
    let cache = crate::config::user_cache_dir();
    let (keys, compiled) = (cache.join("keys"), cache.join("plugins"));
    for directory in [&keys, &compiled] {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)?;
    }
    let plugin_dir = plugin_dir.map(Path::to_owned);
    Ok(Plugins::load(
        &plugin_settings(&keys, compiled, plugin_dir, &SystemRandom)?,
        BUILT_IN,
    )?)
}

fn plugin_settings(
    keys: &Path,
    cache_dir: PathBuf,
    plugin_dir: Option<PathBuf>,
    random: &dyn Random,
) -> Result<PluginSettings, StartError> {
    Ok(PluginSettings {
        cache_dir,
        cache_key: *SecretKey::load_or_create(&keys.join("plugin-cache.key"), random)?.bytes(),
        compiler: Compiler::Child {
            program: std::env::current_exe()?,
        },
        plugin_dir,
        disabled: std::collections::BTreeSet::new(),
        isolation: IsolationPolicy::default(),
        caps: LimitCaps::default(),
    })
}

async fn load_plugins(
    config: &Config,
    data_dir: &DataDir,
    random: &dyn Random,
) -> Result<Plugins, StartError> {
    let settings = plugin_settings(
        &data_dir.keys()?,
        data_dir.plugin_cache()?,
        config.plugin_dir.clone(),
        random,
    )?;
    Ok(tokio::task::spawn_blocking(move || Plugins::load(&settings, BUILT_IN)).await??)
}
