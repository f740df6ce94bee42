//! Actions on the active run: pause, resume, stop.

use std::sync::Arc;
use std::time::Duration;

use super::request::IndexAction;
use super::{IndexState, Indexing};
use crate::scan::{InvalidTransition, Phase};
use svc_identity::error::{ErrorCode, ServiceError};

/// How long `act` waits for its effect. In-flight files of most libraries finish in this time; otherwise the effect
/// follows later.
const TRANSITION_WAIT: Duration = Duration::from_secs(2);

impl Indexing {
    /// Pauses, resumes or stops the run and waits shortly for the effect, which follows the in-flight files.
    ///
    /// # Errors
    /// Conflict `index_action_conflict` if the state does not allow the action.
    pub async fn act(&self, action: IndexAction) -> Result<IndexState, ServiceError> {
        let conflict = |message| ServiceError::conflict(ErrorCode::IndexActionConflict, message);
        let current = self.current().as_ref().map(|current| {
            let control = Arc::clone(&current.control);
            (control, current.ended.clone())
        });
        let Some((control, mut ended)) = current else {
            return match action {
                IndexAction::Resume => Ok(IndexState::Idle),
                IndexAction::Pause | IndexAction::Stop => Err(conflict("no run is active")),
            };
        };
        let mut phases = control.phases();
        // A timeout is no error, and a dropped sender means that the run has ended.
        match action {
            IndexAction::Resume => control.resume(),
            IndexAction::Pause => {
                control.pause().map_err(|refused| {
                    conflict(match refused {
                        InvalidTransition(Phase::Paused) => "the run is already paused",
                        InvalidTransition(_) => "the run is stopping",
                    })
                })?;
                let held = phases.wait_for(|phase| *phase != Phase::Pausing);
                let _ = tokio::time::timeout(TRANSITION_WAIT, held).await;
            }
            IndexAction::Stop => {
                control.stop();
                let _ = tokio::time::timeout(TRANSITION_WAIT, ended.wait_for(|ended| *ended)).await;
            }
        }
        Ok(self.state().0)
    }

    /// Requests a stop of the active run without waiting.
    pub fn ask_to_stop(&self) {
        if let Some(current) = self.current().as_ref() {
            current.control.stop();
        }
    }

    /// Waits until no run is active and nothing keeps runs from starting.
    pub async fn wait_until_idle(&self) {
        loop {
            // An error would mean that the sender is gone, and this is it.
            let _ = self.held.subscribe().wait_for(|held| !*held).await;
            let Some(mut ended) = self.current().as_ref().map(|current| current.ended.clone()) else {
                return;
            };
            // An error means that the task of the run is gone, so nothing else will clear the state.
            let is_gone = ended.wait_for(|ended| *ended).await.is_err();
            if is_gone && self.is_current(&ended) {
                return;
            }
            tokio::task::yield_now().await;
        }
    }
}
