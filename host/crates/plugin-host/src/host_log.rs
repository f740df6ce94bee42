//! The host interface `log`: lines from a plugin for the server's log, limited in number and length.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::bindings::svc::plugin::log;
use crate::limits;
use crate::stop_reason::StopReason;

/// Writes a line of the guest to the log, with the field that says which file or call it is about.
macro_rules! write_line {
    ($line:expr, $level:expr, $plugin:expr, $about:ident, $limited_by:literal) => {{
        use $crate::bindings::svc::plugin::log::Level;
        use $crate::host_log::Line;
        let plugin: &str = $plugin;
        match ($line, $level) {
            (Line::Discarded, _) => {}
            (Line::First, _) => tracing::warn!(
                target: "svc::plugin", plugin, $about,
                "log limit of the plugin reached; its further lines for this {} are discarded", $limited_by
            ),
            (Line::Text(text), Level::Debug) => tracing::debug!(target: "svc::plugin", plugin, $about, "{text}"),
            (Line::Text(text), Level::Info) => tracing::info!(target: "svc::plugin", plugin, $about, "{text}"),
            (Line::Text(text), Level::Warn) => tracing::warn!(target: "svc::plugin", plugin, $about, "{text}"),
            (Line::Text(text), Level::Error) => tracing::error!(target: "svc::plugin", plugin, $about, "{text}"),
        }
    }};
}
pub(crate) use write_line;

/// Log state of one store.
pub(super) struct LogState {
    plugin_id: Arc<str>,
    lines: u32,
    last_error: Option<String>,
}

impl LogState {
    pub(super) fn new(plugin_id: Arc<str>) -> Self {
        Self {
            plugin_id,
            lines: 0,
            last_error: None,
        }
    }

    /// Resets the limit for the next file.
    pub(super) fn restart(&mut self) {
        self.lines = 0;
        self.last_error = None;
    }

    /// The last line of this call with level `error`, even beyond the limit of lines.
    pub(super) fn last_error(&self) -> Option<String> {
        let line = self.last_error.as_deref();
        line.map(|line| escape(line, limits::MESSAGE_BYTES))
    }

    /// Writes one line of the call for this file.
    pub(super) fn write(&mut self, level: log::Level, message: &str, file: &str) -> Result<(), StopReason> {
        let line = self.admit(level, message)?;
        write_line!(line, level, &*self.plugin_id, file, "file");
        Ok(())
    }

    /// Counts a line of the guest, and says what becomes of it.
    pub(super) fn admit(&mut self, level: log::Level, message: &str) -> Result<Line, StopReason> {
        self.lines += 1;
        if level == log::Level::Error {
            // Escaped when it is read: most calls do not fail.
            let cut = message.floor_char_boundary(limits::MESSAGE_BYTES);
            self.last_error = message.get(..cut).map(str::to_owned);
        }
        if self.lines > limits::LOG_LINES + limits::REJECTED_CALLS {
            let most = limits::LOG_LINES;
            return Err(StopReason::Budget(format!("more than {most} log lines")));
        }
        Ok(match self.lines.cmp(&(limits::LOG_LINES + 1)) {
            Ordering::Less => Line::Text(escape(message, limits::LOG_LINE_BYTES)),
            Ordering::Equal => Line::First,
            Ordering::Greater => Line::Discarded,
        })
    }
}

/// What becomes of a line of the guest.
pub(super) enum Line {
    /// It is written, escaped and truncated.
    Text(String),
    /// It is discarded, and the first one that is.
    First,
    /// It is discarded.
    Discarded,
}

/// Truncates a message to this many bytes and escapes control characters, so that it stays one line and contains no terminal sequences.
fn escape(message: &str, most: usize) -> String {
    let cut = message.floor_char_boundary(most);
    let mut text = String::with_capacity(cut);
    for c in message.get(..cut).unwrap_or_default().chars() {
        if c.is_control() || is_direction_mark(c) {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
    }
    text
}

/// Characters that change the direction of the surrounding text.
fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
