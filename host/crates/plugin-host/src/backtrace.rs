//! Describes the trap of a guest: what it said, and where it was.

use wasmtime::WasmBacktrace;

use crate::convert;

/// Innermost functions that a description names.
const SHOWN_FRAMES: usize = 3;
/// Functions that only lead from a failed check or a panic to the trap, by the start of their names.
const MACHINERY: [&str; 12] = [
    "__rust",
    "__rustc",
    "abort",
    "core::option::expect_failed",
    "core::option::unwrap_failed",
    "core::panicking::",
    "core::result::unwrap_failed",
    "panic_abort::",
    "rust_begin_unwind",
    "rust_panic",
    "std::panicking::",
    "std::sys::",
];

/// One line: the last error that the guest logged in the call, the trap, and the innermost functions of the guest, as
/// far as the component has their names.
pub(super) fn describe(trap: &str, error: &wasmtime::Error, last_error: Option<String>) -> String {
    let backtrace = error.downcast_ref::<WasmBacktrace>();
    let names: Vec<String> = backtrace
        .iter()
        .flat_map(|trace| trace.frames())
        .filter_map(wasmtime::FrameInfo::func_name)
        .map(readable)
        .filter(|name| !MACHINERY.iter().any(|start| name.starts_with(start)))
        .take(SHOWN_FRAMES)
        .collect();
    let place = if names.is_empty() {
        String::new()
    } else {
        format!(" in {}", names.join(" < "))
    };
    let text = match last_error {
        Some(said) => format!("{said} ({trap}{place})"),
        None => format!("{trap}{place}"),
    };
    convert::message(&text)
}

/// The name as in the source, without the hash that the compiler appends.
fn readable(name: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_demangled_without_hash() {
        for (mangled, name) in [
            ("_ZN5notes7extract17h05af221e174051e9E", "notes::extract"),
            ("_RNvC5notes7extract", "notes::extract"),
            ("extract", "extract"),
            (
                "svc:plugin/extractor@0.1.0#extract",
                "svc:plugin/extractor@0.1.0#extract",
            ),
        ] {
            assert_eq!(readable(mangled), name);
        }
    }
}
