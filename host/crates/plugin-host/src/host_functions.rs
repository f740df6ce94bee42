//! The functions of the host, linked under the names of one version of the interface.
//!
//! What they do and the types that they exchange come from the bindings, whose `Host` traits `call.rs` implements.

use wasmtime::StoreContextMut;
use wasmtime::component::Linker;

use crate::bindings::svc::plugin::{log, related, settings, source};
use crate::call::CallState;
use crate::interface::InterfaceVersion;

/// The store of the guest that calls.
type Caller<'a> = StoreContextMut<'a, CallState>;

/// The functions that exist since 0.1.
pub(super) fn v0_1(linker: &mut Linker<CallState>, version: InterfaceVersion) -> wasmtime::Result<()> {
    let mut functions = linker.instance(&version.name_of("source"))?;
    functions.func_wrap("name", |mut caller: Caller<'_>, (): ()| {
        Ok((source::Host::name(caller.data_mut())?,))
    })?;
    functions.func_wrap("size", |mut caller: Caller<'_>, (): ()| {
        Ok((source::Host::size(caller.data_mut())?,))
    })?;
    functions.func_wrap("read-at", |mut caller: Caller<'_>, (offset, length)| {
        Ok((source::Host::read_at(caller.data_mut(), offset, length)?,))
    })?;

    let mut functions = linker.instance(&version.name_of("related"))?;
    functions.func_wrap("folders", |mut caller: Caller<'_>, (): ()| {
        Ok((related::Host::folders(caller.data_mut())?,))
    })?;
    functions.func_wrap("files", |mut caller: Caller<'_>, (): ()| {
        Ok((related::Host::files(caller.data_mut())?,))
    })?;
    functions.func_wrap("read-at", |mut caller: Caller<'_>, (name, offset, length)| {
        Ok((related::Host::read_at(caller.data_mut(), name, offset, length)?,))
    })?;

    let mut functions = linker.instance(&version.name_of("settings"))?;
    functions.func_wrap("get", |mut caller: Caller<'_>, (key,)| {
        Ok((settings::Host::get(caller.data_mut(), key)?,))
    })?;

    let mut functions = linker.instance(&version.name_of("log"))?;
    functions.func_wrap("write", |mut caller: Caller<'_>, (level, message)| {
        log::Host::write(caller.data_mut(), level, message)
    })
}
