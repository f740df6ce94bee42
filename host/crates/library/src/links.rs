//! Signed links: a URL that opens one item for who made it, for a while, without any header.

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

/// A shorter life than this ends while the player starts.
pub const SHORTEST: Duration = Duration::from_secs(60);
/// A film and the evening around it. What was handed out cannot be taken back one by one, so it ends by itself.
pub const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// What a link is to open.
#[derive(Debug)]
pub struct LinkRequest {
    /// Type of the item.
    pub item: ItemType,
    /// The item's number.
    pub id: i64,
    /// The path that is opened.
    pub path: String,
    /// What it takes to open it.
    pub capability: Capability,
    /// How long.
    pub lasts: Duration,
}

/// A link as it was made.
#[derive(Debug)]
pub struct NewLink {
    /// What goes into the URL as `token`.
    pub token: String,
    /// Its end.
    pub expires_at: Timestamp,
}

/// Makes links.
#[derive(Debug, Clone)]
pub struct Links {
    context: Context,
    items: ItemRepository,
    keys: KeyRing,
}

impl Links {
    /// Signed with these keys.
    pub fn new(context: Context, items: ItemRepository, keys: KeyRing) -> Self {
        Self { context, items, keys }
    }

    /// A link to an item that the caller may open themselves. It is valid for as long as they may, and as long as the
    /// session or personal access token that it was made with.
    ///
    /// # Errors
    /// Refused; not found; invalid; the store's.
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
