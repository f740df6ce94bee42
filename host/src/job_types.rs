//! Registers the types of jobs.

use std::sync::Arc;

use svc_events::Events;
use svc_identity::Context;
use svc_indexer::indexing::Indexing;
use svc_library::jobs::{self, RegisteredJob};
use svc_library::thumbnails::Thumbnails;
use svc_library::waveforms::Waveforms;
use svc_platform::data_dir::DataDir;
use svc_plugin_host::Plugins;
use svc_store::Store;

/// The types of jobs with what they work on.
pub(super) fn job_types(
    context: &Context,
    store: &Store,
    indexing: &Indexing,
    data_dir: &Arc<DataDir>,
    (thumbnails, waveforms): (Thumbnails, Waveforms),
    (plugins, events): (&Plugins, &Events),
) -> Vec<RegisteredJob> {
    let pregenerators = jobs::Pregenerators {
        thumbnails,
        waveforms,
    };
    let repositories = jobs::JobWorkRepositories {
        database: store.database.clone(),
        files: store.files.clone(),
        index: store.index.clone(),
        jobs: store.jobs.clone(),
        kinds: store.kinds.clone(),
    };
    jobs::registered(
        context,
        &repositories,
        indexing,
        data_dir,
        pregenerators,
        (plugins, events),
    )
}
