//! Reports panics: the host shows the message and place of a panic as the reason of the failure, and in its log.
//!
//! A panic ends in a trap, which has no message. The hook therefore logs the message as an error before the trap.

use std::panic::PanicHookInfo;
use std::sync::Once;

/// Installs the hook once per instance.
pub(crate) fn report() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        std::panic::set_hook(Box::new(|panic| crate::log::error(&describe(panic))));
    });
}

/// One line: `panicked at src/lib.rs:3:5: index out of bounds`.
fn describe(panic: &PanicHookInfo<'_>) -> String {
    let message = panic.payload_as_str().unwrap_or("no message").replace('\n', " ");
    match panic.location() {
        Some(place) => format!("panicked at {place}: {message}"),
        None => format!("panicked: {message}"),
    }
}
