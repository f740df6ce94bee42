//! The state of the call that runs in a store, and the functions of the host that the guest calls on it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::bindings::svc::plugin::{log, related, settings, source, types};
use crate::convert;
use crate::deadline::Deadline;
use crate::granted_limits::Limits;
use crate::host_log::LogState;
use crate::host_related;
use crate::host_related::RelatedState;
use crate::host_source::{SourceFile, SourceState};
use crate::memory::MemoryMeter;
use svc_domain::extraction::Value;

/// Values of a plugin's settings by key. They stay the same as long as an instance lives.
pub(super) type SettingValues = Arc<BTreeMap<String, Value>>;

/// Data of a plugin's store.
pub(super) struct CallState {
    pub(super) source: SourceState,
    pub(super) related: RelatedState,
    pub(super) settings: SettingValues,
    pub(super) log: LogState,
    pub(super) deadline: Deadline,
    pub(super) memory: MemoryMeter,
}

impl CallState {
    /// For an instance with these settings and a memory limit in bytes.
    pub(super) fn new(plugin_id: Arc<str>, settings: SettingValues, memory: u64) -> Self {
        Self {
            source: SourceState::new(),
            related: RelatedState::default(),
            settings,
            log: LogState::new(plugin_id),
            deadline: Deadline::default(),
            memory: MemoryMeter::new(memory),
        }
    }

    /// Starts a call for this file with these limits.
    pub(super) fn begin(&mut self, file: &Arc<SourceFile>, limits: &Limits) {
        self.source.open(file, limits);
        self.memory.set_limit(limits.memory);
        self.log.restart();
        self.deadline.start(limits.time, file.cancelled());
    }

    /// Releases the file.
    pub(super) fn end(&mut self) {
        self.source.close();
        self.related.close();
    }
}

impl types::Host for CallState {}

impl source::Host for CallState {
    fn name(&mut self) -> wasmtime::Result<String> {
        let path = self.source.file_name();
        Ok(path.rsplit('/').next().unwrap_or_default().to_owned())
    }

    fn size(&mut self) -> wasmtime::Result<u64> {
        Ok(self.source.file.as_ref().map_or(0, |file| file.size()))
    }

    fn read_at(&mut self, offset: u64, length: u32) -> wasmtime::Result<Result<Vec<u8>, types::IoError>> {
        self.source.read(offset, length)
    }
}

impl related::Host for CallState {
    fn folders(&mut self) -> wasmtime::Result<Vec<String>> {
        Ok(host_related::folders(&self.source))
    }

    fn files(&mut self) -> wasmtime::Result<Vec<related::RelatedFile>> {
        Ok(host_related::files(&self.source))
    }

    fn read_at(
        &mut self,
        name: String,
        offset: u64,
        length: u32,
    ) -> wasmtime::Result<Result<Vec<u8>, types::IoError>> {
        self.related.read(&mut self.source, &name, offset, length)
    }
}

impl settings::Host for CallState {
    fn get(&mut self, key: String) -> wasmtime::Result<Option<types::Value>> {
        Ok(self.settings.get(&key).cloned().map(convert::value_for_guest))
    }
}

impl log::Host for CallState {
    fn write(&mut self, level: log::Level, message: String) -> wasmtime::Result<()> {
        Ok(self.log.write(level, &message, self.source.file_name())?)
    }
}
