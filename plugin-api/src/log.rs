//! Writes to the server's log. The host adds the plugin and the file to each line, and limits number and length of
//! the lines.
//!
//! Outside the sandbox, as in unit tests, lines go to standard error.

/// Writes a line that helps to debug the plugin.
pub fn debug(message: &str) {
    write(Level::Debug, message);
}

/// Writes a line that requires no action.
pub fn info(message: &str) {
    write(Level::Info, message);
}

/// Writes a line about an anomaly in a file or in the plugin.
pub fn warn(message: &str) {
    write(Level::Warn, message);
}

/// Writes a line about a failure that the returned error does not describe.
pub fn error(message: &str) {
    write(Level::Error, message);
}

use crate::bindings::log::Level;

#[cfg(target_arch = "wasm32")]
fn write(level: Level, message: &str) {
    crate::bindings::log::write(level, message);
}

#[cfg(not(target_arch = "wasm32"))]
#[expect(clippy::print_stderr, reason = "outside of the sandbox there is no other log")]
fn write(level: Level, message: &str) {
    eprintln!("{level:?}: {message}");
}
