//! The state of all that an answer about media is made of.

use crate::auth::actor::Actor;
use crate::auth::capability::CapabilitySet;
use crate::domain::id::UserId;
use crate::domain::kind::MediaPart;
use crate::store::Store;

/// What answers about media are made of, for a caller: equal states, equal answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MediaState {
    user: UserId,
    /// A token may be narrowed.
    capabilities: CapabilitySet,
    identity: i64,
    media: u64,
    personal: u64,
}

impl MediaState {
    /// The state of this moment, for this caller: of all that answers about this part of the media are made of, or answers
    /// about all of them.
    pub fn of(store: &Store, actor: &Actor, part: Option<MediaPart>) -> Self {
        Self {
            user: actor.user.id,
            capabilities: actor.capabilities,
            identity: store.identity_revision_of(actor.user.id),
            media: store.media_revision(part),
            personal: store.personal_revision(actor.user.id),
        }
    }
}

#[cfg(test)]
impl MediaState {
    /// Some state, another one for each number.
    pub fn some(number: u64) -> Self {
        Self {
            user: UserId::from(1),
            capabilities: CapabilitySet::default(),
            identity: 1,
            media: number,
            personal: 0,
        }
    }
}
