//! What a server says of a plugin between two swaps: its state, and the files that it could not read.

use std::fmt;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::error::KitError;
use crate::managed::ManagedPlugin;
use crate::run_log::ErroredFile;
use crate::server::Server;
use crate::text;

/// Interval of requests to the server.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Files of which one look reports the reason; the others are counted. A mistake often fails at each file.
const SHOWN_FILES: usize = 20;

/// Something that the server says.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum News {
    /// The plugin changed its state without a swap.
    State {
        /// `active`, `quarantined`, ….
        state: String,
        /// Why it is not active.
        reason: Option<String>,
    },
    /// The plugin could not read a file.
    FileErrored {
        /// The plugin with its version.
        plugin: String,
        /// Below its media directory.
        relative_path: String,
        /// Code and message of the failure, with what the plugin logged last as an error.
        reason: String,
    },
    /// The plugin could not read further files.
    MoreFilesErrored {
        /// Their number.
        files: usize,
    },
}

/// How much of the logs was seen.
#[derive(Debug)]
struct Seen {
    /// The latest run; `None` if the server had none.
    run: Option<String>,
    /// Number of its entries.
    entries: u64,
}

/// Follows a plugin.
#[derive(Debug)]
pub(crate) struct Follower<'a> {
    server: &'a Server,
    /// The plugin with the state that was shown last.
    shown: Option<(String, String, Option<String>)>,
    seen: Option<Seen>,
    looked: Option<Instant>,
    /// The server refused the last look, or did not answer, and this was reported.
    is_refused: bool,
}

impl<'a> Follower<'a> {
    pub(crate) fn new(server: &'a Server) -> Self {
        Self {
            server,
            shown: None,
            seen: None,
            looked: None,
            is_refused: false,
        }
    }

    /// Notes what a swap showed.
    pub(crate) fn swapped(&mut self, plugin: &ManagedPlugin) {
        let id = plugin.plugin_id.clone();
        self.shown = Some((id, plugin.state.clone(), plugin.reason.clone()));
    }

    /// What is new, if the last look was long enough ago. The first look finds nothing: what was there before is old.
    /// An error is returned once, until a look succeeds.
    pub(crate) fn look(&mut self) -> Vec<Result<News, KitError>> {
        if self.looked.is_some_and(|looked| looked.elapsed() < LOOK_EVERY) {
            return Vec::new();
        }
        self.looked = Some(Instant::now());
        let mut news = Vec::new();
        match self.gather(&mut news) {
            Ok(()) => self.is_refused = false,
            Err(error) => {
                // A server that was reset does not know the run any more.
                if matches!(error, KitError::Refused(_)) {
                    self.seen = None;
                }
                if !self.is_refused {
                    news.push(Err(error));
                }
                self.is_refused = true;
            }
        }
        news
    }

    fn gather(&mut self, news: &mut Vec<Result<News, KitError>>) -> Result<(), KitError> {
        let files = self.new_errors();
        let Some((id, state, reason)) = &mut self.shown else {
            return files.map(drop);
        };
        let plugin = self.server.plugin(id)?;
        if (&plugin.state, &plugin.reason) != (&*state, &*reason) {
            state.clone_from(&plugin.state);
            reason.clone_from(&plugin.reason);
            news.push(Ok(News::State {
                state: plugin.state,
                reason: plugin.reason,
            }));
        }
        news.extend(of_plugin(id, files?).into_iter().map(Ok));
        Ok(())
    }

    /// The new entries about files that could not be read, of all plugins.
    fn new_errors(&mut self) -> Result<Vec<ErroredFile>, KitError> {
        let server = self.server;
        let latest = server.latest_runs()?;
        let Some(seen) = &mut self.seen else {
            let run = latest.into_iter().next();
            let mut seen = Seen { run, entries: 0 };
            read_on(server, &mut seen)?;
            self.seen = Some(seen);
            return Ok(Vec::new());
        };
        let newer = latest
            .into_iter()
            .take_while(|run| Some(run) != seen.run.as_ref());
        let newer: Vec<String> = newer.collect();
        let mut files = read_on(server, seen)?;
        for run in newer.into_iter().rev() {
            *seen = Seen {
                run: Some(run),
                entries: 0,
            };
            files.extend(read_on(server, seen)?);
        }
        Ok(files)
    }
}

/// Reads the entries of the run that were not seen.
fn read_on(server: &Server, seen: &mut Seen) -> Result<Vec<ErroredFile>, KitError> {
    let mut files = Vec::new();
    let Some(run) = &seen.run else {
        return Ok(files);
    };
    loop {
        let (page, total) = server.errored_files(run, seen.entries)?;
        let is_empty = page.is_empty();
        seen.entries += page.len() as u64;
        files.extend(page);
        if is_empty || seen.entries >= total {
            return Ok(files);
        }
    }
}

/// The entries about this plugin, in any of its versions.
fn of_plugin(id: &str, files: Vec<ErroredFile>) -> Vec<News> {
    let of_this = |file: &ErroredFile| {
        let plugin = file.plugin.as_deref().unwrap_or_default();
        plugin.split(' ').next() == Some(id)
    };
    let mut files: Vec<ErroredFile> = files.into_iter().filter(of_this).collect();
    let more = files.len().saturating_sub(SHOWN_FILES);
    files.truncate(SHOWN_FILES);
    let mut news: Vec<News> = files
        .into_iter()
        .map(|file| News::FileErrored {
            plugin: file.plugin.unwrap_or_default(),
            relative_path: file.relative_path,
            reason: file.reason.unwrap_or_default(),
        })
        .collect();
    if more > 0 {
        news.push(News::MoreFilesErrored { files: more });
    }
    news
}

impl fmt::Display for News {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::State { state, reason } => {
                write!(f, "the plugin is {state}")?;
                match reason {
                    Some(reason) => write!(f, ": {}", text::printable(reason)),
                    None => Ok(()),
                }
            }
            Self::FileErrored {
                plugin,
                relative_path,
                reason,
            } => write!(
                f,
                "{plugin} could not read {}: {}",
                text::printable(relative_path),
                text::printable(reason)
            ),
            Self::MoreFilesErrored { files } => write!(f, "and {files} more files"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn errored(plugin: &str, number: usize) -> ErroredFile {
        let entry = json!({
            "runLogId": "1", "event": "file_errored", "relativePath": format!("{number}.note"), "plugin": plugin,
            "reason": "trap: the plugin trapped",
        });
        serde_json::from_value(entry).unwrap()
    }

    #[test]
    fn files_of_other_plugins_are_left_out_and_those_beyond_the_shown_ones_counted() {
        let files = (0..SHOWN_FILES + 3).flat_map(|number| {
            [
                errored("notes 1.0.0", number),
                errored("notes-more 1.0.0", number),
                errored("music 0.1.0", number),
            ]
        });
        let news = of_plugin("notes", files.collect());
        assert_eq!(news.len(), SHOWN_FILES + 1);
        assert_eq!(
            news.first().unwrap().to_string(),
            "notes 1.0.0 could not read 0.note: trap: the plugin trapped"
        );
        assert_eq!(news.last(), Some(&News::MoreFilesErrored { files: 3 }));
    }

    #[test]
    fn news_are_told_apart_by_their_event() {
        let quarantined = News::State {
            state: "quarantined".to_owned(),
            reason: Some("it failed too often".to_owned()),
        };
        assert_eq!(
            quarantined.to_string(),
            "the plugin is quarantined: it failed too often"
        );
        let file = of_plugin("notes", vec![errored("notes 1.0.0", 7)]);
        assert_eq!(
            json!([quarantined, file.first()]),
            json!([
                { "event": "state", "state": "quarantined", "reason": "it failed too often" },
                { "event": "file_errored", "plugin": "notes 1.0.0", "relativePath": "7.note",
                  "reason": "trap: the plugin trapped" },
            ])
        );
    }
}
