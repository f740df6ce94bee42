//! Creates item links: signed URLs that open one item for their creator without a header.

use std::time::Duration;

use svc_domain::change::ItemType;
use svc_domain::time::Timestamp;
use svc_identity::Context;
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;
use svc_identity::error::{Result, ServiceError};
use svc_identity::item_link::ItemLink;
use svc_identity::keys::KeyRing;
use svc_store::ItemRepository;

/// Minimum lifetime; a shorter one would end before the player starts.
pub const SHORTEST: Duration = Duration::from_secs(60);
/// Maximum lifetime, enough for a movie with breaks. Links cannot be revoked individually.
pub const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Input of [`Links::make`].
#[derive(Debug)]
pub struct LinkRequest {
    /// Type of the item.
    pub item: ItemType,
    /// The item's number.
    pub id: i64,
    /// The path to which the link is bound.
    pub path: String,
    /// The capability required to open it.
    pub capability: Capability,
    /// Lifetime.
    pub lasts: Duration,
}

/// A new link.
#[derive(Debug)]
pub struct NewLink {
    /// Value of the query parameter `token`.
    pub token: String,
    /// Expiry.
    pub expires_at: Timestamp,
}

/// The service for item links.
#[derive(Debug, Clone)]
pub struct Links {
    context: Context,
    items: ItemRepository,
    keys: KeyRing,
}

impl Links {
    /// Creates the service.
    pub fn new(context: Context, items: ItemRepository, keys: KeyRing) -> Self {
        Self { context, items, keys }
    }

    /// Creates a link to an item that the caller may open. It is valid while the caller may open the item and while the
    /// session or personal access token that created it is valid.
    ///
    /// # Errors
    /// Refused; not found; invalid; database errors.
    pub async fn make(&self, actor: &Actor, request: &LinkRequest) -> Result<NewLink> {
        if !actor.may(request.capability) {
            return Err(ServiceError::Refused("your roles do not allow to open this"));
        }
        if !(SHORTEST..=LONGEST).contains(&request.lasts) {
            let bounds = format!("must be {} to {} seconds", SHORTEST.as_secs(), LONGEST.as_secs());
            return Err(ServiceError::invalid("expiresIn", bounds));
        }
        let item = (request.item, request.id);
        let visible = self.items.accessible_items_of(&actor.scope, &[item]).await?;
        if !visible.contains(&item) {
            return Err(ServiceError::NotFound);
        }
        let lasts = i64::try_from(request.lasts.as_millis()).unwrap_or(0);
        let expires_at = Timestamp::from_millis(self.context.now().millis().saturating_add(lasts));
        let link = ItemLink {
            user: actor.user.id,
            expires_at,
            binding: actor.binding(),
        };
        Ok(NewLink {
            token: self.keys.current().item_links.sign(&request.path, link),
            expires_at,
        })
    }
}
