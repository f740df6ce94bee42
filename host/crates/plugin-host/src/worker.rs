//! A worker: the reusable instances of one thread, one per plugin.

use std::sync::Arc;
use std::time::Instant;

use crate::budget::Purpose;
use crate::host_source::SourceFile;
use crate::instance::Instance;
use crate::plugin::{LoadedPlugin, PluginHandle};
use crate::settings::Isolation;
use crate::stats::Counters;
use crate::ticker::{Ticker, TickerGuard};
use svc_domain::extraction::{ExtractFailure, ExtractOutcome};
use svc_domain::page::Page;
use svc_domain::rendering::{ImageBounds, RenderedImage};
use svc_domain::waveform::AudioSummary;

/// Calls plugins from one thread. Create one per thread and drop it when the work is done: the clock that interrupts
/// guests runs while there is a worker.
pub struct Worker {
    slots: Vec<Slot>,
    _ticker_guard: TickerGuard,
    /// Dropped last, so that the clock outlives `_ticker_guard`.
    _ticker: Arc<Ticker>,
}

struct Slot {
    plugin: PluginHandle,
    instance: Option<Instance>,
    counters: Counters,
}

impl Worker {
    pub(super) fn new(ticker: Arc<Ticker>) -> Self {
        Self {
            slots: Vec::new(),
            _ticker_guard: ticker.hold(),
            _ticker: ticker,
        }
    }

    /// Extracts the metadata of a file for a scan: faults count towards a quarantine.
    pub fn extract(&mut self, plugin: &PluginHandle, source: &Arc<SourceFile>) -> ExtractOutcome {
        self.slot(plugin)
            .call(Purpose::Scan, |instance, plugin| instance.extract(plugin, source))
    }

    /// Extracts the metadata of a file for an explanation.
    pub fn explain(&mut self, plugin: &PluginHandle, source: &Arc<SourceFile>) -> ExtractOutcome {
        self.slot(plugin).call(Purpose::Explain, |instance, plugin| {
            instance.extract(plugin, source)
        })
    }

    /// Reads the artwork at this index of the extraction's pictures, one with `PictureData::OnRequest`.
    pub fn read_picture(
        &mut self,
        plugin: &PluginHandle,
        source: &Arc<SourceFile>,
        index: u32,
    ) -> Result<Vec<u8>, ExtractFailure> {
        self.slot(plugin).call(Purpose::Artwork, |instance, plugin| {
            instance.read_picture(plugin, source, index)
        })
    }

    /// Lists the pages of a file, in reading order.
    pub fn list_pages(
        &mut self,
        plugin: &PluginHandle,
        source: &Arc<SourceFile>,
    ) -> Result<Vec<Page>, ExtractFailure> {
        self.slot(plugin).call(Purpose::Pages, |instance, plugin| {
            instance.list_pages(plugin, source)
        })
    }

    /// Reads the page at this index of the list, one with `PictureData::OnRequest`.
    pub fn read_page(
        &mut self,
        plugin: &PluginHandle,
        source: &Arc<SourceFile>,
        index: u32,
    ) -> Result<Vec<u8>, ExtractFailure> {
        self.slot(plugin).call(Purpose::Pages, |instance, plugin| {
            instance.read_page(plugin, source, index)
        })
    }

    /// Renders thumbnails, one per size, in that order.
    pub fn render(
        &mut self,
        plugin: &PluginHandle,
        source: &Arc<SourceFile>,
        sizes: &[ImageBounds],
    ) -> Result<Vec<RenderedImage>, ExtractFailure> {
        self.slot(plugin).call(Purpose::Render, |instance, plugin| {
            instance.render(plugin, source, sizes)
        })
    }

    /// Computes a waveform with this number of bins. Takes up to minutes for a long file.
    pub fn measure(
        &mut self,
        plugin: &PluginHandle,
        source: &Arc<SourceFile>,
        bins: u32,
    ) -> Result<AudioSummary, ExtractFailure> {
        self.slot(plugin).call(Purpose::Measure, |instance, plugin| {
            instance.measure(plugin, source, bins)
        })
    }

    fn slot(&mut self, plugin: &PluginHandle) -> &mut Slot {
        let position = self
            .slots
            .iter()
            .position(|slot| Arc::ptr_eq(&slot.plugin.0, &plugin.0));
        let position = position.unwrap_or_else(|| {
            self.slots.push(Slot {
                plugin: plugin.clone(),
                instance: None,
                counters: Counters::default(),
            });
            self.slots.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "found or pushed in the lines above")]
        &mut self.slots[position]
    }
}

impl Slot {
    fn call<T>(
        &mut self,
        purpose: Purpose,
        call: impl FnOnce(&mut Instance, &LoadedPlugin) -> Result<T, ExtractFailure>,
    ) -> Result<T, ExtractFailure> {
        let plugin = &*self.plugin.0;
        if let Some(reason) = plugin.quarantine.quarantine_reason() {
            // Not a failure of the file: it is read again when the plugin is active.
            return Err(ExtractFailure::Io(format!(
                "the plugin `{}` is quarantined: {reason}",
                plugin.id
            )));
        }
        let budget = plugin.budgets.of(purpose);
        let started = Instant::now();
        if let Some(retry_after) = budget.and_then(|budget| budget.wait(started)) {
            return Err(ExtractFailure::Later { retry_after });
        }
        // Only calls of scans are numbered: the quarantine counts those.
        let number = budget.is_none().then(|| plugin.quarantine.begin());
        let mut memory = 0;
        let instance = self.instance.take().map_or_else(|| Instance::start(plugin), Ok);
        let result = instance.and_then(|mut instance| {
            let result = call(&mut instance, plugin);
            memory = instance.memory();
            if instance.is_reusable() && !is_used_up(plugin, instance.calls()) {
                self.instance = Some(instance);
            }
            result
        });
        let failure = result.as_ref().err();
        self.counters.count(failure, started.elapsed(), memory);
        match (failure, number) {
            // The caller, who knows the file, reports the failure itself.
            (Some(failure), Some(number)) if failure.blames_plugin() => {
                if plugin.quarantine.failed(number, failure) {
                    let reason = plugin.quarantine.quarantine_reason().unwrap_or_default();
                    tracing::error!(plugin = &*plugin.id, "plugin quarantined: {reason}");
                }
            }
            (Some(failure), None) if failure.blames_plugin() => {
                if let Some(budget) = budget {
                    budget.failed(Instant::now());
                }
            }
            (Some(failure), _) if failure.is_inconclusive() => {}
            (_, Some(number)) => plugin.quarantine.succeeded(number),
            (_, None) => {}
        }
        if self.counters.is_due() {
            plugin.stats.merge(&mut self.counters);
        }
        result
    }
}

/// Whether an instance has reached its number of files.
fn is_used_up(plugin: &LoadedPlugin, calls: u32) -> bool {
    match plugin.isolation {
        _ if plugin.quarantine.is_degraded() => true,
        Isolation::Worker => false,
        Isolation::Recycle(files) => calls >= files,
        Isolation::PerFile => true,
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.plugin.0.stats.merge(&mut self.counters);
    }
}
