//! Media files on their way to a client: how many a user plays at once, and their end when the right to them ends.
//!
//! A player opens a new connection for each seek, before it ends the old one, so what the limit counts is files, not
//! connections. As long as anything is being sent, a task looks at what changed in accounts, sessions, tokens and grants,
//! and ends what is not permitted any more: the body fails at its next piece, and the connection of a client that takes
//! no pieces is closed.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use svc_domain::id::{FileId, UserId};
use svc_domain::time::Timestamp;
use svc_identity::actor::Actor;
use svc_identity::authentication::{Authentication, PermissionSnapshot, Principal};
use svc_identity::capability::Capability;
use svc_identity::error::{Result, ServiceError};
use svc_identity::settings::Settings;
use svc_store::{FileRepository, Result as StoreResult};

/// Keeps account of open streams.
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
    /// Connections of each user, by the file that they play.
    played: HashMap<UserId, HashMap<FileId, usize>>,
    is_watched: bool,
}

struct Entry {
    principal: Principal,
    capability: Capability,
    file: FileId,
    is_played: bool,
    /// The state of accounts by which it was last permitted; `None` before the first look.
    revision: Option<i64>,
    /// When its personal access token expires.
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

/// One open stream; it is over when this is dropped.
#[derive(Debug)]
pub struct OpenStream {
    id: u64,
    has_ended: Arc<AtomicBool>,
    shared: Arc<Shared>,
}

impl OpenStreams {
    /// By the setting `max_concurrent_streams`, and by what callers may at each moment, which is looked at every `look`: a
    /// stream that has to end has its body ended after at most this time, and its connection closed after as much again.
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

    /// Begins to play a file, which this capability permits.
    ///
    /// # Errors
    /// Conflict `too_many_streams` when the user plays as many other files already.
    pub fn play(&self, actor: &Actor, capability: Capability, file: FileId) -> Result<OpenStream> {
        let mut state = self.0.state();
        let files = state.played.entry(actor.user.id).or_default();
        if let Some(limit) = self.0.settings.max_concurrent_streams()
            && !files.contains_key(&file)
            && files.len() >= limit
        {
            return Err(ServiceError::Conflict {
                code: "too_many_streams",
                message: format!("{limit} streams are open, which is as many as you may have at once"),
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
    /// How to close the connection, should the client take nothing that would tell it.
    pub fn close_by(&self, close: impl Fn() + Send + Sync + 'static) {
        if let Some(entry) = self.shared.state().open.get_mut(&self.id) {
            entry.close = Some(Box::new(close));
        }
    }

    /// Whether the caller may have no more of it.
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

/// Looks at the open streams until there are none.
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
        if let Err(error) = shared.look().await {
            tracing::warn!(%error, "cannot check whether open streams are still permitted");
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn look(&self) -> Result<()> {
        self.close_ended();
        // Read before the questions, so that a change in between is seen by the next look.
        let revision = self.authentication.revision();
        for (principal, streams) in self.outdated() {
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

    /// Closes the connections of what was ended by an earlier look, and is open all the same.
    fn close_ended(&self) {
        let state = self.state();
        let ended = state.open.values();
        for entry in ended.filter(|entry| entry.has_ended.load(Ordering::Acquire)) {
            if let Some(close) = &entry.close {
                close();
            }
        }
    }

    /// What may not be permitted any more, by who has it.
    fn outdated(&self) -> HashMap<Principal, Vec<(u64, Capability, FileId)>> {
        let mut outdated: HashMap<_, Vec<_>> = HashMap::new();
        for (id, entry) in &self.state().open {
            let changed = self.authentication.revision_of(entry.principal.user());
            let is_outdated = entry.revision.is_none_or(|known| changed > known)
                || self.authentication.is_expired(&entry.principal, entry.ends);
            if is_outdated && !entry.has_ended.load(Ordering::Acquire) {
                let same = outdated.entry(entry.principal).or_default();
                same.push((*id, entry.capability, entry.file));
            }
        }
        outdated
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

    /// Notes until when a stream is permitted by this state of accounts; `None` ends it.
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
