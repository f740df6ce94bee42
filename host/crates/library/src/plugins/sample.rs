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

/// Up to `take` files that a plugin with this manifest reads, with their reasons: the first of each reason, then the
/// second of each, and so on.
pub(super) async fn choose(
    files: &FileRepository,
    manifest: &Manifest,
    take: u32,
) -> Result<Vec<(SampledFile, Vec<&'static str>)>> {
    let mut candidates = Vec::new();
    for (reason, order) in REASONS {
        for kind in &manifest.kinds {
            let found = files.sample(&kind.kind, &kind.extensions, order, take).await?;
            let places = found.into_iter().enumerate();
            candidates.extend(places.map(|(place, file)| (place, reason, file)));
        }
    }
    // The sort is stable: within a place, the reasons keep their order.
    candidates.sort_by_key(|(place, ..)| *place);
    let mut chosen: BTreeMap<FileId, (SampledFile, Vec<&'static str>)> = BTreeMap::new();
    for (_, reason, file) in candidates {
        if let Some((_, reasons)) = chosen.get_mut(&file.id) {
            reasons.push(reason);
        } else if chosen.len() < take as usize {
            chosen.insert(file.id, (file, vec![reason]));
        }
    }
    Ok(chosen.into_values().collect())
}
