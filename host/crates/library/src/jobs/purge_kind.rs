//! `purge_kind`: deletes everything that is indexed of a kind whose plugin is gone. Media files are not touched.
//!
//! The job holds off runs of the indexer, and ends as soon as a plugin reads files of the kind again: what is left by
//! then comes back with it.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::jobs::work::{JobWork, Progress};
use svc_domain::kind::MediaKind;
use svc_events::{Events, items};
use svc_identity::Context;
use svc_identity::error::{ErrorCode, Result, ServiceError};
use svc_indexer::indexing::Indexing;
use svc_plugin_host::{KindState, Plugins};
use svc_store::{IndexRepository, KindRepository, PurgedPart};

/// The parameter that names the kind.
const KIND: &str = "parameters.mediaKind";

/// The work of the job type.
#[derive(Debug)]
pub(super) struct PurgeKind {
    /// Clock and ids.
    pub(super) context: Context,
    /// The kinds that plugins defined.
    pub(super) kinds: KindRepository,
    /// Files and items to delete.
    pub(super) index: IndexRepository,
    /// Held off meanwhile.
    pub(super) indexing: Indexing,
    /// Say whether files of a kind are read.
    pub(super) plugins: Plugins,
    /// Receives the removed items.
    pub(super) events: Events,
}

/// The kind of the parameters, which is none of those that every server has.
fn kind_of(parameters: &Value) -> Result<MediaKind> {
    let name = parameters.get("mediaKind").and_then(Value::as_str);
    let kind = name.and_then(|name| name.parse::<MediaKind>().ok());
    kind.filter(|kind| !MediaKind::BUILT_IN.contains(&kind.as_str()))
        .ok_or_else(|| ServiceError::invalid(KIND, "must be a kind that a plugin defines"))
}

impl PurgeKind {
    fn require_unavailable(&self, kind: &MediaKind) -> Result<()> {
        match self.plugins.kind_state(kind) {
            KindState::Unavailable { .. } => Ok(()),
            KindState::Active => Err(ServiceError::conflict(
                ErrorCode::PluginActionConflict,
                format!(
                    "a plugin reads files of the kind `{kind}`, and would read them again; remove or disable it first"
                ),
            )),
        }
    }

    async fn check_kind(&self, parameters: &Value) -> Result<()> {
        let kind = kind_of(parameters)?;
        if self.kinds.kind(&kind).await?.is_none() {
            return Err(ServiceError::unknown(KIND, "no plugin has defined this kind"));
        }
        self.require_unavailable(&kind)
    }

    async fn purge(&self, parameters: &Value, progress: &Progress) -> Result<()> {
        let kind = kind_of(parameters)?;
        let _hold = self.indexing.hold_runs().await;
        let left = self.index.count_files_of_kind(&kind).await?;
        progress.update(|progress| progress.total = Some(progress.completed + number(left)));
        let mut writer = self.index.scan_writer(Arc::clone(&self.context.ids));
        loop {
            self.require_unavailable(&kind)?;
            let part = writer.purge_kind(&kind, self.context.now()).await?;
            self.report(&part, progress);
            if part.is_last {
                tracing::info!(target: "svc::jobs", %kind, "the items of the kind were purged");
                return Ok(());
            }
            // Other tasks take precedence.
            tokio::task::yield_now().await;
        }
    }

    fn report(&self, part: &PurgedPart, progress: &Progress) {
        for item in &part.items {
            self.events
                .publish(|| items::changed(item.id, &item.kind, item.change, &item.access_classes));
        }
        progress.update(|progress| {
            progress.completed += number(part.files);
            let before = progress.result.get("items").and_then(Value::as_u64);
            progress.result = json!({"items": before.unwrap_or_default() + part.items.len() as u64});
        });
    }
}

fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

impl JobWork for PurgeKind {
    fn check<'a>(&'a self, parameters: &'a Value) -> BoxFuture<'a, Result<()>> {
        self.check_kind(parameters).boxed()
    }

    fn run<'a>(&'a self, parameters: &'a Value, progress: &'a Progress) -> BoxFuture<'a, Result<()>> {
        self.purge(parameters, progress).boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_kinds_of_plugins_are_purged() {
        let comics = kind_of(&json!({"mediaKind": "comics"})).unwrap();
        assert_eq!(comics.as_str(), "comics");
        let built_in = MediaKind::BUILT_IN.map(|kind| json!({ "mediaKind": kind }));
        for wrong in built_in.into_iter().chain([json!({})]) {
            assert!(kind_of(&wrong).is_err(), "{wrong}");
        }
    }
}
