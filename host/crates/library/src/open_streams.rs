//! Open media streams: the limit per user, and their end when the permission ends.
//!
//! A player opens a new connection for each seek before it closes the old one, so the limit counts files instead of
//! connections. While streams are open, a task checks changes of accounts, sessions, tokens and grants, and ends
//! streams that are no longer permitted: the body fails at its next chunk, and the connection of a client that does not
//! read is closed.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use svc_domain::id::{FileId, UserId};
use svc_domain::time::Timestamp;
use svc_identity::actor::Actor;
use svc_identity::authentication::{Authentication, PermissionSnapshot, Principal};
use svc_identity::capability::Capability;
use svc_identity::error::{ErrorCode, Result, ServiceError};
use svc_identity::settings::Settings;
use svc_store::{FileRepository, Result as StoreResult};

/// The registry of open streams.
#[derive(Debug, Clone)]
pub struct OpenStreams(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    settings: Settings,
    authentication: Authentication,
    files: FileRepository,
    look: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    next: u64,
    open: BTreeMap<u64, Entry>,
    /// Number of connections by user and file.
    played: HashMap<UserId, HashMap<FileId, usize>>,
    is_watched: bool,
}

struct Entry {
    principal: Principal,
    capability: Capability,
    file: FileId,
    is_played: bool,
    /// The identity revision at the last check; `None` before the first one.
    revision: Option<i64>,
    /// Expiry of the personal access token.
    ends: Option<Timestamp>,
    has_ended: Arc<AtomicBool>,
    close: Option<Box<dyn Fn() + Send + Sync>>,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry")
            .field("standing", &self.principal)
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}

/// An open stream; ends when dropped.
#[derive(Debug)]
pub struct OpenStream {
    id: u64,
    has_ended: Arc<AtomicBool>,
    shared: Arc<Shared>,
}

impl OpenStreams {
    /// Creates the registry, limited by the setting `max_concurrent_streams`. Permissions are checked every `look`: a
    /// stream without permission fails within this time, and its connection is closed within the same time again.
    pub fn new(
        settings: Settings,
        authentication: Authentication,
        files: FileRepository,
        look: Duration,
    ) -> Self {
        Self(Arc::new(Shared {
            settings,
            authentication,
            files,
            look,
            state: Mutex::default(),
        }))
    }

    /// Begins to play a file.
    ///
    /// # Errors
    /// Conflict `too_many_streams` if the user plays the maximum of other files.
    pub fn play(&self, actor: &Actor, capability: Capability, file: FileId) -> Result<OpenStream> {
        let mut state = self.0.state();
        let files = state.played.entry(actor.user.id).or_default();
        if let Some(limit) = self.0.settings.max_concurrent_streams()
            && !files.contains_key(&file)
            && files.len() >= limit
        {
            return Err(ServiceError::Conflict {
                code: ErrorCode::TooManyStreams,
                message: format!("the limit of {limit} concurrent streams is reached"),
            });
        }
        *files.entry(file).or_default() += 1;
        Ok(self.add(&mut state, actor, capability, file, true))
    }

    /// Begins to send a file that is not played, such as a photo.
    pub fn send(&self, actor: &Actor, capability: Capability, file: FileId) -> OpenStream {
        self.add(&mut self.0.state(), actor, capability, file, false)
    }

    fn add(
        &self,
        state: &mut State,
        actor: &Actor,
        capability: Capability,
        file: FileId,
        is_played: bool,
    ) -> OpenStream {
        let id = state.next;
        state.next += 1;
        let has_ended = Arc::new(AtomicBool::new(false));
        let entry = Entry {
            principal: Principal::of(actor),
            capability,
            file,
            is_played,
            revision: None,
            ends: None,
            has_ended: Arc::clone(&has_ended),
            close: None,
        };
        state.open.insert(id, entry);
        if !std::mem::replace(&mut state.is_watched, true) {
            let tasks = self.0.authentication.tasks();
            tasks.spawn_until_end("open-streams", watch(Arc::clone(&self.0)));
        }
        OpenStream {
            id,
            has_ended,
            shared: Arc::clone(&self.0),
        }
    }
}

impl OpenStream {
    /// Sets how to close the connection of a client that does not read.
    pub fn close_by(&self, close: impl Fn() + Send + Sync + 'static) {
        if let Some(entry) = self.shared.state().open.get_mut(&self.id) {
            entry.close = Some(Box::new(close));
        }
    }

    /// Whether the stream is no longer permitted.
    pub fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        let Some(entry) = state.open.remove(&self.id) else {
            return;
        };
        if !entry.is_played {
            return;
        }
        let user = entry.principal.user();
        let Some(files) = state.played.get_mut(&user) else {
            return;
        };
        if let Some(connections) = files.get_mut(&entry.file) {
            *connections -= 1;
            if *connections == 0 {
                files.remove(&entry.file);
            }
        }
        if files.is_empty() {
            state.played.remove(&user);
        }
    }
}

/// Checks the open streams until there are none.
async fn watch(shared: Arc<Shared>) {
    loop {
        tokio::time::sleep(shared.look).await;
        {
            let mut state = shared.state();
            if state.open.is_empty() {
                state.is_watched = false;
                return;
            }
        }
        if let Err(error) = shared.check_permissions().await {
            tracing::warn!(%error, "cannot check whether open streams are still permitted");
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn check_permissions(&self) -> Result<()> {
        self.close_ended();
        // Read before the queries, so that the next check sees a change in between.
        let revision = self.authentication.revision();
        for (principal, streams) in self.streams_to_recheck() {
            let permissions = self.authentication.permissions(&principal).await?;
            for (id, capability, file) in streams {
                let permitted = match &permissions {
                    Some(permissions) if self.permits(permissions, capability, file).await? => {
                        Some(permissions.ends)
                    }
                    _ => None,
                };
                self.set_permission(id, permitted, revision);
            }
        }
        Ok(())
    }

    /// Closes the connections of streams that an earlier check ended and that are still open.
    fn close_ended(&self) {
        let state = self.state();
        let ended = state.open.values();
        for entry in ended.filter(|entry| entry.has_ended.load(Ordering::Acquire)) {
            if let Some(close) = &entry.close {
                close();
            }
        }
    }

    /// Streams whose permission has to be checked, by principal.
    fn streams_to_recheck(&self) -> HashMap<Principal, Vec<(u64, Capability, FileId)>> {
        let mut streams_to_recheck: HashMap<_, Vec<_>> = HashMap::new();
        for (id, entry) in &self.state().open {
            let changed = self.authentication.revision_of(entry.principal.user());
            let is_outdated = entry.revision.is_none_or(|known| changed > known)
                || self.authentication.is_expired(&entry.principal, entry.ends);
            if is_outdated && !entry.has_ended.load(Ordering::Acquire) {
                let same = streams_to_recheck.entry(entry.principal).or_default();
                same.push((*id, entry.capability, entry.file));
            }
        }
        streams_to_recheck
    }

    async fn permits(
        &self,
        permissions: &PermissionSnapshot,
        capability: Capability,
        file: FileId,
    ) -> StoreResult<bool> {
        Ok(permissions.capabilities.contains(capability)
            && self.files.media_file(&permissions.scope, file).await?.is_some())
    }

    /// Records that a stream is permitted until a time at this version; `None` ends it.
    fn set_permission(&self, id: u64, permitted: Option<Option<Timestamp>>, revision: i64) {
        let mut state = self.state();
        let Some(entry) = state.open.get_mut(&id) else {
            return;
        };
        match permitted {
            Some(ends) => {
                entry.revision = Some(revision);
                entry.ends = ends;
            }
            None => {
                tracing::info!(user = %entry.principal.user(), file = %entry.file, "stream ended: permission revoked");
                entry.has_ended.store(true, Ordering::Release);
            }
        }
    }
}
