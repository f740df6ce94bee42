//! Payloads of the events of items of kinds that plugins define.

use serde::Serialize;

use crate::message::{Audience, EventKind, Message};
use svc_domain::change::ChangeKind;
use svc_domain::id::ItemId;
use svc_domain::kind::MediaKind;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item<'a> {
    item_id: ItemId,
    kind: &'a str,
}

/// `item.added`, `item.updated` or `item.removed`. Without access classes, which a removed item does not have any
/// more, it is for all who may read items: the id of a removed item reveals nothing.
pub fn changed(id: ItemId, kind: &MediaKind, change: ChangeKind, access_classes: &[i64]) -> Message {
    let event = match change {
        ChangeKind::Added => EventKind::ItemAdded,
        ChangeKind::Updated | ChangeKind::Missing | ChangeKind::Restored => EventKind::ItemUpdated,
        ChangeKind::Removed => EventKind::ItemRemoved,
    };
    let payload = Item {
        item_id: id,
        kind: kind.as_str(),
    };
    let capability = event.capability();
    let audience = match change {
        ChangeKind::Removed => Audience::Readers(capability),
        _ => Audience::ViewersOfAny(capability, access_classes.into()),
    };
    Message::to(audience, event, &payload)
}
