//! The files of a preview: the newest, oldest and largest, and those that could not be read.

use std::collections::BTreeMap;

use svc_domain::id::FileId;
use svc_identity::error::Result;
use svc_plugin_host::Manifest;
use svc_store::{FileRepository, SampleOrder, SampledFile};

/// The orders of a sample, with their names in the API.
pub(super) const REASONS: [(&str, SampleOrder); 4] = [
    ("newest", SampleOrder::Newest),
    ("oldest", SampleOrder::Oldest),
    ("largest", SampleOrder::Largest),
    ("failed", SampleOrder::Failed),
];

/// Up to `take` files that a plugin with this manifest reads, a quarter for each reason, with their reasons.
pub(super) async fn choose(
    files: &FileRepository,
    manifest: &Manifest,
    take: u32,
) -> Result<Vec<(SampledFile, Vec<&'static str>)>> {
    let mut chosen: BTreeMap<FileId, (SampledFile, Vec<&'static str>)> = BTreeMap::new();
    let each = take.div_ceil(REASONS.len() as u32);
    for (reason, order) in REASONS {
        for kind in &manifest.kinds {
            for file in files.sample(&kind.kind, &kind.extensions, order, each).await? {
                let entry = chosen.entry(file.id);
                entry.or_insert_with(|| (file, Vec::new())).1.push(reason);
            }
        }
    }
    let chosen = chosen.into_values().take(take as usize);
    Ok(chosen.collect())
}
