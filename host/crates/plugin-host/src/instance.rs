//! An instance of a plugin: its store, the calls into it, and the meaning of each outcome.

use std::sync::Arc;

use wasmtime::{Store, Trap};

use crate::backtrace;
use crate::bindings::exports::svc::plugin::thumbnailer::Bounds;
use crate::call::CallState;
use crate::convert;
use crate::exports::Exports;
use crate::granted_limits::Limits;
use crate::host_source::{SourceFault, SourceFile};
use crate::limits;
use crate::plugin::LoadedPlugin;
use crate::stop_reason::StopReason;
use crate::validate::Checker;
use crate::{validate_audio, validate_images, validate_pages};
use svc_domain::extraction::{ExtractFailure, ExtractOutcome};
use svc_domain::page::Page;
use svc_domain::rendering::{ImageBounds, RenderedImage};
use svc_domain::waveform::AudioSummary;

/// An instance that has not failed. After a failure of the guest it must not be called again.
pub(super) struct Instance {
    store: Store<CallState>,
    exports: Exports,
    calls: u32,
    broken: bool,
}

impl Instance {
    /// Creates an instance and runs its start functions.
    pub(super) fn start(plugin: &LoadedPlugin) -> Result<Self, ExtractFailure> {
        let code = &plugin.code;
        let mut store = Store::new(
            code.instance_pre.engine(),
            CallState::new(
                Arc::clone(&plugin.id),
                Arc::clone(&plugin.settings),
                plugin.limits.extract.memory,
            ),
        );
        store.limiter(|state| &mut state.memory);
        store.epoch_deadline_callback(|mut context| Ok(context.data_mut().deadline.check()?));
        store.set_hostcall_fuel(limits::LIFTED_BYTES);
        store.data_mut().deadline.start(limits::INSTANTIATION_TIME, None);
        store.set_epoch_deadline(1);
        let started = code.instance_pre.instantiate(&mut store);
        let started = started.and_then(|instance| code.exports.load(&mut store, &instance));
        match started {
            Ok(exports) => Ok(Self {
                store,
                exports,
                calls: 0,
                broken: false,
            }),
            Err(error) => Err(failure_of(&error, store.data().log.last_error())),
        }
    }

    /// Extracts the metadata of a file.
    pub(super) fn extract(&mut self, plugin: &LoadedPlugin, file: &Arc<SourceFile>) -> ExtractOutcome {
        let extract = self.exports.extract.ok_or_else(|| lacks("extractor"))?;
        self.begin(file, &plugin.limits.extract);
        let answer = extract.call(&mut self.store, ());
        let extraction = self.end(answer)?.map_err(convert::failure)?;
        let checker = Checker::new(&plugin.id, &plugin.own_types, file.size());
        extraction
            .map(|extraction| convert::extraction(extraction, checker))
            .transpose()
    }

    /// Reads embedded artwork.
    pub(super) fn read_picture(
        &mut self,
        plugin: &LoadedPlugin,
        file: &Arc<SourceFile>,
        index: u32,
    ) -> Result<Vec<u8>, ExtractFailure> {
        let read = self.exports.read_picture.ok_or_else(|| lacks("artwork"))?;
        self.begin(file, &plugin.limits.extract);
        let answer = self.with_output_limit(limits::PICTURE_BYTES, |store| read.call(store, (index,)));
        self.end(answer)?.map_err(convert::failure)
    }

    /// Lists the pages of a file.
    pub(super) fn list_pages(
        &mut self,
        plugin: &LoadedPlugin,
        file: &Arc<SourceFile>,
    ) -> Result<Vec<Page>, ExtractFailure> {
        let list = self.exports.list_pages.ok_or_else(|| lacks("pages"))?;
        self.begin(file, &plugin.limits.pages);
        let answer = self.with_output_limit(limits::PAGE_LIST_BYTES, |store| list.call(store, ()));
        let list = self.end(answer)?.map_err(convert::failure)?;
        validate_pages::pages(list, file.size())
    }

    /// Reads a page of a file.
    pub(super) fn read_page(
        &mut self,
        plugin: &LoadedPlugin,
        file: &Arc<SourceFile>,
        index: u32,
    ) -> Result<Vec<u8>, ExtractFailure> {
        let read = self.exports.read_page.ok_or_else(|| lacks("pages"))?;
        self.begin(file, &plugin.limits.pages);
        let answer = self.with_output_limit(limits::PAGE_BYTES, |store| read.call(store, (index,)));
        self.end(answer)?.map_err(convert::failure)
    }

    /// Renders thumbnails.
    pub(super) fn render(
        &mut self,
        plugin: &LoadedPlugin,
        file: &Arc<SourceFile>,
        sizes: &[ImageBounds],
    ) -> Result<Vec<RenderedImage>, ExtractFailure> {
        let render = self.exports.render.ok_or_else(|| lacks("thumbnailer"))?;
        let requested: Vec<_> = sizes
            .iter()
            .take(limits::RENDERED_SIZES)
            .map(|size| Bounds {
                width: size.width,
                height: size.height,
            })
            .collect();
        self.begin(file, &plugin.limits.render);
        // Includes space for the records around the bytes; the bytes themselves are limited in the validation.
        let bytes = limits::RENDERED_BYTES + limits::LIFTED_BYTES;
        let answer = self.with_output_limit(bytes, |store| render.call(store, (requested,)));
        let images = self.end(answer)?.map_err(convert::failure)?;
        validate_images::images(images, sizes)
    }

    /// Computes a waveform.
    pub(super) fn measure(
        &mut self,
        plugin: &LoadedPlugin,
        file: &Arc<SourceFile>,
        bins: u32,
    ) -> Result<AudioSummary, ExtractFailure> {
        let analyze = self.exports.analyze.ok_or_else(|| lacks("waveform"))?;
        let bins = bins.clamp(1, limits::WAVEFORM_BINS);
        self.begin(file, &plugin.limits.analyze);
        let answer = analyze.call(&mut self.store, (bins,));
        let summary = self.end(answer)?.map_err(convert::failure)?;
        validate_audio::summary(summary, bins)
    }

    /// Whether it may be called again: it has not failed and its memory is small enough to keep.
    pub(super) fn is_reusable(&self) -> bool {
        !self.broken && self.memory() <= limits::MAX_REUSED_MEMORY
    }

    /// Bytes of linear memory.
    pub(super) fn memory(&self) -> u64 {
        self.store.data().memory.used()
    }

    /// Number of calls so far.
    pub(super) fn calls(&self) -> u32 {
        self.calls
    }

    /// Calls the guest for a result of at most this many bytes.
    fn with_output_limit<T>(&mut self, bytes: usize, call: impl FnOnce(&mut Store<CallState>) -> T) -> T {
        self.store.set_hostcall_fuel(bytes);
        let answer = call(&mut self.store);
        self.store.set_hostcall_fuel(limits::LIFTED_BYTES);
        answer
    }

    fn begin(&mut self, file: &Arc<SourceFile>, limits: &Limits) {
        self.calls += 1;
        self.store.data_mut().begin(file, limits);
        self.store.set_epoch_deadline(1);
    }

    /// Releases the file and separates the guest's result from a failure of the call. A failure of the storage or the
    /// budget takes precedence over the guest's own error.
    fn end<T, E>(
        &mut self,
        answer: wasmtime::Result<(Result<T, E>,)>,
    ) -> Result<Result<T, E>, ExtractFailure> {
        let state = self.store.data_mut();
        state.end();
        let fault = state.source.take_fault();
        match (answer, fault) {
            (Err(error), _) => {
                self.broken = true;
                Err(failure_of(&error, state.log.last_error()))
            }
            (Ok(_), Some(SourceFault::Storage(text))) => Err(ExtractFailure::Io(text)),
            (Ok((Err(_),)), Some(SourceFault::Budget(what))) => Err(ExtractFailure::Budget(what)),
            (Ok((answer,)), _) => Ok(answer),
        }
    }
}

/// The caller requested an ability that the component does not export. Not a failure of the file.
fn lacks(ability: &str) -> ExtractFailure {
    ExtractFailure::Unsupported(format!("the plugin has no `{ability}`"))
}

/// Maps the error of a guest to an extraction failure. `last_error` is the last line that the guest logged as an error
/// in this call: the SDKs log the message of a panic or exception before the trap.
pub(super) fn failure_of(error: &wasmtime::Error, last_error: Option<String>) -> ExtractFailure {
    if let Some(stop) = error.downcast_ref::<StopReason>() {
        return stop.clone().into();
    }
    if let Some(trap) = error.downcast_ref::<Trap>() {
        let trap = trap.to_string();
        return ExtractFailure::Trap(backtrace::describe(
            trap.trim_start_matches("wasm trap: "),
            error,
            last_error,
        ));
    }
    // Errors of the machine, not the guest: memory could not be mapped.
    if error.is::<std::io::Error>() || error.is::<rustix::io::Errno>() || error.is::<wasmtime::OutOfMemory>()
    {
        return ExtractFailure::Io(format!(
            "the server is out of memory: {}",
            convert::message(&error.to_string())
        ));
    }
    // The remaining errors come from wasmtime's validation of the guest's output: pointers outside of its memory,
    // texts that are not UTF-8, too many bytes.
    let text = error.root_cause().to_string();
    if text.contains("fuel allocated for hostcalls has been exhausted") {
        return ExtractFailure::Budget("more output than the host accepts".to_owned());
    }
    ExtractFailure::BadOutput(convert::message(&text))
}
