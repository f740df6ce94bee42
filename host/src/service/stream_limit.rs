//! How many files a user plays at once. A player opens a new connection for each seek, before it ends the old one, so
//! what counts is files, not connections.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::error::{Result, ServiceError};
use super::settings::Settings;
use crate::auth::actor::Actor;
use crate::domain::id::{FileId, UserId};

/// Connections of each user, by file.
type Open = Arc<Mutex<HashMap<UserId, HashMap<FileId, usize>>>>;

/// Counts open streams.
#[derive(Debug, Clone)]
pub struct StreamLimit {
    settings: Settings,
    open: Open,
}

/// One open stream; it ends with this value.
#[derive(Debug)]
pub struct OpenStream {
    user: UserId,
    file: FileId,
    open: Open,
}

impl StreamLimit {
    /// By the setting `max_concurrent_streams`.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            open: Open::default(),
        }
    }

    /// Begins a stream of a file.
    ///
    /// # Errors
    /// Conflict `too_many_streams` when the user plays as many other files already.
    pub fn begin(&self, actor: &Actor, file: FileId) -> Result<OpenStream> {
        let user = actor.user.id;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let files = open.entry(user).or_default();
        if let Some(limit) = self.settings.max_concurrent_streams()
            && !files.contains_key(&file)
            && files.len() >= limit
        {
            return Err(ServiceError::Conflict {
                code: "too_many_streams",
                message: format!("{limit} streams are open, which is as many as you may have at once"),
            });
        }
        *files.entry(file).or_default() += 1;
        Ok(OpenStream {
            user,
            file,
            open: Arc::clone(&self.open),
        })
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(files) = open.get_mut(&self.user) else {
            return;
        };
        if let Some(connections) = files.get_mut(&self.file) {
            *connections -= 1;
            if *connections == 0 {
                files.remove(&self.file);
            }
        }
        if files.is_empty() {
            open.remove(&self.user);
        }
    }
}
