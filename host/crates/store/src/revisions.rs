//! Numbers that rise when something is stored, so that an answer from before is known to be still true without asking
//! the database.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::Store;
use crate::error::Result;
use crate::writer::{Lane, WriteTx};
use svc_domain::id::UserId;
use svc_domain::kind::MediaPart;

/// What of the media is known, and what users did with them. The data directory belongs to one process, so nobody else
/// stores such things.
#[derive(Debug, Default)]
pub(super) struct Revisions {
    /// For each part.
    media: [AtomicU64; 3],
    personal: Mutex<HashMap<UserId, u64>>,
}

/// Whose numbers a transaction raises.
#[derive(Debug)]
pub(super) enum Raises {
    /// What everybody sees: of this part, or of all.
    Media(Arc<Revisions>, Option<MediaPart>),
    /// What one user sees.
    Personal(Arc<Revisions>, UserId),
    /// Nothing that lists and items are made of.
    Nothing,
}

impl Raises {
    /// The transaction is committed, or may be.
    pub(super) fn raise(&self) {
        match self {
            Self::Media(revisions, part) => {
                for number in revisions.of(*part) {
                    number.fetch_add(1, Ordering::AcqRel);
                }
            }
            Self::Personal(revisions, user) => {
                let mut personal = revisions.personal.lock().unwrap_or_else(PoisonError::into_inner);
                *personal.entry(*user).or_default() += 1;
            }
            Self::Nothing => {}
        }
    }
}

impl Revisions {
    /// The numbers of this part, or of all.
    fn of(&self, part: Option<MediaPart>) -> &[AtomicU64] {
        let [music, photos, video] = &self.media;
        match part {
            None => &self.media,
            Some(MediaPart::Music) => std::slice::from_ref(music),
            Some(MediaPart::Photos) => std::slice::from_ref(photos),
            Some(MediaPart::Video) => std::slice::from_ref(video),
        }
    }
}

impl Store {
    /// The state of what is told of this part of the media, or of all. It only rises.
    pub fn media_revision(&self, part: Option<MediaPart>) -> u64 {
        let numbers = self.0.revisions.of(part).iter();
        numbers.map(|number| number.load(Ordering::Acquire)).sum()
    }

    /// The state of what a user did with media: history, ratings, queues.
    pub fn personal_revision(&self, user: UserId) -> u64 {
        let personal = self
            .0
            .revisions
            .personal
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        personal.get(&user).copied().unwrap_or(0)
    }

    /// Opens a transaction that changes what is told of media.
    pub(super) async fn write(&self, lane: Lane) -> Result<WriteTx> {
        let tx = self.0.lanes.begin(self.pools(), lane).await?;
        Ok(tx.raising(Raises::Media(Arc::clone(&self.0.revisions), None)))
    }

    /// What a batch of a scan raises that is about this part, or about several.
    pub(super) fn raised_by_batch(&self, part: Option<MediaPart>) -> Raises {
        Raises::Media(Arc::clone(&self.0.revisions), part)
    }

    /// Opens a transaction that changes what is told of media to one user.
    pub(super) async fn write_for(&self, user: UserId) -> Result<WriteTx> {
        let tx = self.0.lanes.begin(self.pools(), Lane::Interactive).await?;
        Ok(tx.raising(Raises::Personal(Arc::clone(&self.0.revisions), user)))
    }

    /// Opens a transaction over records of the server's own: runs, last use, the audit log.
    pub(super) async fn write_record(&self, lane: Lane) -> Result<WriteTx> {
        self.0.lanes.begin(self.pools(), lane).await
    }
}
