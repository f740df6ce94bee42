//! A loaded cloud plugin: an instance for each call, its limits, and what becomes of a failure.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use wasmtime::Store;
use wasmtime::component::InstancePre;

use crate::call::SettingValues;
use crate::cloud::bindings::exports::svc::plugin::cloud;
use crate::cloud::call::{CloudCall, CloudHost};
use crate::cloud::failure_log::{FailureLog, RepeatedLines};
use crate::cloud::secrets::Secrets;
use crate::instance::failure_of;
use crate::limits;
use crate::manifest::Manifest;
use crate::quarantine::Quarantine;
use crate::stats::{Counters, SharedStats};
use crate::status::{PluginOrigin, PluginState, PluginStatus};
use crate::ticker::Ticker;
use svc_domain::erased::Erased;
use svc_domain::extraction::ExtractFailure;

/// A plugin of world `cloud-client`. Clones share it.
#[derive(Clone)]
pub struct CloudPlugin(pub(super) Arc<LoadedCloudPlugin>);

/// What clones share.
pub(super) struct LoadedCloudPlugin {
    pub(super) id: Arc<str>,
    pub(super) manifest: Manifest,
    pub(super) origin: PluginOrigin,
    pub(super) digest: String,
    pub(super) settings: SettingValues,
    /// Those among the settings.
    pub(super) secrets: Secrets,
    pub(super) host: CloudHost,
    pub(super) code: Erased<CloudCode>,
    /// Ticks while there are calls.
    pub(super) ticker: Ticker,
    pub(super) stats: SharedStats,
    pub(super) quarantine: Quarantine,
    pub(super) failures: FailureLog,
    pub(super) lines: Arc<RepeatedLines>,
}

/// The machine code of the plugin.
pub(super) struct CloudCode {
    pub(super) instance_pre: InstancePre<CloudCall>,
    pub(super) cloud: cloud::GuestIndices,
}

/// Why a call has no result. The log says more, and no more often than once a minute.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CloudFault {
    /// The plugin failed too often, and is not called until it is released.
    #[error("the plugin is quarantined: {0}")]
    Quarantined(String),
    /// The plugin failed, or did not answer in time. Contains nothing that the plugin says of itself.
    #[error("the plugin failed: {0}")]
    Failed(String),
}

/// The future of a guest's function.
pub(super) type GuestCall<'a, T> = Pin<Box<dyn Future<Output = wasmtime::Result<T>> + Send + 'a>>;

/// What a call may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// It sends requests.
    Online,
    /// It sends none.
    Offline,
}

impl CloudPlugin {
    /// Id.
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// What it says of itself.
    pub fn manifest(&self) -> &Manifest {
        &self.0.manifest
    }

    /// Logs a problem with an answer of the plugin, if no failure was logged within the last minute.
    pub fn report(&self, call: &'static str, problem: &str) {
        let plugin = &*self.0.id;
        if let Some(silent) = self.0.failures.admit(Instant::now()) {
            tracing::warn!(
                plugin,
                call,
                silent,
                "an answer of the plugin is not used: {problem}"
            );
        }
    }

    /// Ends its quarantine. False if it was not quarantined.
    pub fn release(&self) -> bool {
        self.0.quarantine.release()
    }

    /// Changes when it is quarantined or released.
    pub(crate) fn transitions(&self) -> u64 {
        self.0.quarantine.transitions()
    }

    /// The current status.
    pub fn status(&self) -> PluginStatus {
        let plugin = &self.0;
        PluginStatus {
            origin: plugin.origin.clone(),
            digest: plugin.digest.clone(),
            manifest: Some(plugin.manifest.clone()),
            state: PluginState::of_loaded(plugin.quarantine.quarantine_reason()),
            abilities: vec!["cloud"],
            degraded: plugin.quarantine.is_degraded(),
            signed_by: None,
            granted: plugin.manifest.permissions.keys().cloned().collect(),
            limits: Vec::new(),
            stats: Some(plugin.stats.snapshot()),
        }
    }

    /// Calls a function that may send requests.
    pub(super) fn ask<'p, T: Send + 'p>(
        &'p self,
        name: &'static str,
        secrets: &'p [String],
        until: tokio::time::Instant,
        function: impl for<'a> FnOnce(cloud::Guest, &'a mut Store<CloudCall>) -> GuestCall<'a, T> + Send + 'p,
    ) -> impl Future<Output = Result<T, CloudFault>> + Send + 'p {
        self.call(name, Reach::Online, secrets, until, function)
    }

    /// Calls a function of the guest, in an instance of its own, until this time at the latest.
    pub(super) async fn call<T: Send>(
        &self,
        name: &'static str,
        reach: Reach,
        secrets: &[String],
        until: tokio::time::Instant,
        function: impl for<'a> FnOnce(cloud::Guest, &'a mut Store<CloudCall>) -> GuestCall<'a, T> + Send,
    ) -> Result<T, CloudFault> {
        let plugin = &*self.0;
        if let Some(reason) = plugin.quarantine.quarantine_reason() {
            return Err(CloudFault::Quarantined(reason));
        }
        let _ticking = plugin.ticker.hold();
        let number = plugin.quarantine.begin();
        let started = Instant::now();
        let mut store = plugin.new_store(name, reach, secrets);
        let code = &plugin.code;
        let outcome = tokio::time::timeout_at(until, async {
            let instance = code.instance_pre.instantiate_async(&mut store).await?;
            let guest = code.cloud.load(&mut store, &instance)?;
            function(guest, &mut store).await
        })
        .await;
        let result = match outcome {
            Ok(Ok(answer)) => Ok(answer),
            // Without the guest's own words, which may name a token.
            Ok(Err(error)) => Err(failure_of(&error, None)),
            // The guest itself is stopped before: it waits for the service.
            Err(_) => Err(ExtractFailure::Io(format!(
                "the service did not answer within {} s",
                limits::CLOUD_CALL.as_secs_f32()
            ))),
        };
        let mut counters = Counters::default();
        let memory = store.data().memory.used();
        counters.count(result.as_ref().err(), started.elapsed(), memory);
        plugin.stats.merge(&mut counters);
        result
            .map_err(|failure| plugin.failed(name, number, &failure))
            .inspect(|_| {
                plugin.quarantine.succeeded(number);
            })
    }
}

impl LoadedCloudPlugin {
    fn new_store(&self, name: &'static str, reach: Reach, secrets: &[String]) -> Store<CloudCall> {
        let mut all = self.secrets.clone();
        secrets.iter().for_each(|secret| all.add(secret));
        let call = CloudCall::new(
            name,
            Arc::clone(&self.id),
            self.host.clone(),
            Arc::clone(&self.settings),
            all,
            Arc::clone(&self.lines),
        );
        let call = if reach == Reach::Offline {
            call.offline()
        } else {
            call
        };
        let mut store = Store::new(self.code.instance_pre.engine(), call);
        store.limiter(|call| &mut call.memory);
        store.epoch_deadline_callback(|mut context| Ok(context.data_mut().interrupted()?));
        store.set_hostcall_fuel(limits::LIFTED_BYTES);
        store.set_epoch_deadline(1);
        store
    }

    /// Counts and logs a failure.
    fn failed(&self, call: &'static str, number: u64, failure: &ExtractFailure) -> CloudFault {
        let plugin = &*self.id;
        if let Some(silent) = self.failures.admit(Instant::now()) {
            tracing::warn!(plugin, call, silent, "a call of the plugin failed: {failure}");
        }
        if failure.blames_plugin() && self.quarantine.failed(number, failure) {
            let reason = self.quarantine.quarantine_reason().unwrap_or_default();
            tracing::error!(
                plugin,
                "plugin quarantined, it is not called until it is released: {reason}"
            );
        }
        CloudFault::Failed(failure.to_string())
    }
}

impl fmt::Debug for CloudPlugin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "CloudPlugin({} {})",
            self.0.id, self.0.manifest.version
        )
    }
}
