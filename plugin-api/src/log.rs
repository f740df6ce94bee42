//! Lines for the server's log. The host adds plugin and file, and limits number and length.
//!
//! Outside of the sandbox (unit tests) the lines go to standard error.

/// Writes a line that helps only someone who looks into the plugin itself.
pub fn debug(message: &str) {
    write(Level::Debug, message);
}

/// Writes a line about something worth knowing that needs nothing done.
pub fn info(message: &str) {
    write(Level::Info, message);
}

/// Writes a line about something odd in a file or in the plugin.
pub fn warn(message: &str) {
    write(Level::Warn, message);
}

/// Writes a line about something that went wrong and that no error says.
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
