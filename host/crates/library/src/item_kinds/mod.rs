//! Kinds that plugins define, and their items.
//!
//! `input` checks the requests of lists against the schema of their kind, `items` lists and shows items, `files` finds
//! and opens their files and pictures.

mod files;
mod input;
mod items;

pub use files::OpenedPart;
pub use input::{FacetRequest, ItemListRequest, KindFilter};
pub use items::{ItemDetails, ItemView};
pub use svc_domain::item::{FacetCount, ItemPart};
pub use svc_store::ItemFilter;

use crate::media::Media;
use crate::thumbnails::Thumbnails;
use svc_domain::kind::MediaKind;
use svc_identity::error::{Result, ServiceError};
use svc_plugin_host::{KindState, Plugins};
use svc_store::{KindRepository, StoredKind, UserItemRepository};

/// A kind with the state of its plugin.
#[derive(Debug, Clone)]
pub struct KindDetails {
    /// As the plugin declared it when it was loaded last.
    pub kind: StoredKind,
    /// Whether the plugin reads its files now.
    pub state: KindState,
    /// Whether the plugin reads pages of its files.
    pub has_pages: bool,
}

/// Items of kinds that plugins define; items outside of the actor's access filter are treated as not existing.
#[derive(Debug, Clone)]
pub struct ItemKinds {
    kinds: KindRepository,
    user_items: UserItemRepository,
    plugins: Plugins,
    media: Media,
    thumbnails: Thumbnails,
}

impl ItemKinds {
    /// Creates the service.
    pub fn new(
        kinds: KindRepository,
        user_items: UserItemRepository,
        plugins: Plugins,
        media: Media,
        thumbnails: Thumbnails,
    ) -> Self {
        Self {
            kinds,
            user_items,
            plugins,
            media,
            thumbnails,
        }
    }

    /// All kinds that plugins ever defined here, by name.
    ///
    /// # Errors
    /// Database errors.
    pub async fn kinds(&self) -> Result<Vec<KindDetails>> {
        let kinds = self.kinds.kinds().await?.into_iter();
        Ok(kinds
            .map(|kind| KindDetails {
                state: self.plugins.kind_state(&kind.schema.kind),
                has_pages: {
                    let plugin = self.plugins.handle(&kind.plugin_id);
                    plugin.is_some_and(|plugin| plugin.has_pages())
                },
                kind,
            })
            .collect())
    }

    /// Why the plugin of a kind does not read its files, if it does not.
    fn unavailable(&self, kind: &MediaKind) -> Option<String> {
        self.plugins.kind_state(kind).reason().map(str::to_owned)
    }

    async fn requested_kind(&self, name: &str) -> Result<StoredKind> {
        let invalid = |message: String| ServiceError::invalid("kind", message);
        let kind: MediaKind = name.parse().map_err(|error| invalid(format!("{error}")))?;
        let known = self.kinds.kind(&kind).await?;
        known.ok_or_else(|| invalid("is not a kind that a plugin defines".to_owned()))
    }
}
