//! Phase 3: opens files and has plugins read them, on every core, each with its own warm instances.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use flume::{Receiver, Sender};

use crate::scan::control::{InFlightGuard, ScanControl};
use crate::scan::fingerprint::fingerprint;
use crate::scan::progress::Progress;
use crate::scan::roots::Extractor;
use crate::scan::sidecars::FileSidecars;
use crate::scan::work::{PendingFolder, Persist, ReadFile, WorkChunk, WorkItem};
use svc_domain::extraction::{ExtractFailure, ExtractOutcome, Extraction};
use svc_domain::item::ItemRecord;
use svc_domain::item_kind::KindSchema;
use svc_domain::kind::MediaKind;
use svc_domain::music::TrackFacts;
use svc_domain::path::{RelativePath, extension};
use svc_domain::photo::PhotoFacts;
use svc_domain::scan::{FileRecord, ScannedFile};
use svc_domain::time::Timestamp;
use svc_domain::video::VideoFacts;
use svc_plugin_host::{Plugins, SourceFile, Worker};
use svc_store::{PluginVersion, digest_of};

/// Stored instead of the modification time, so that the next run reads the file again.
const READ_AGAIN: i64 = -1;

/// Shared state of the extract threads.
pub(super) struct Extract<'a> {
    pub(super) plugins: &'a Plugins,
    pub(super) control: &'a Arc<ScanControl>,
    pub(super) progress: &'a Progress,
    pub(super) work: Receiver<WorkChunk>,
    pub(super) results: Sender<Persist>,
}

impl Extract<'_> {
    /// The loop of one thread; ends when the channel is closed or on a stop.
    pub(super) fn run(&self) {
        let mut worker = self.plugins.worker();
        while let Ok(chunk) = self.work.recv() {
            let mut read = Vec::with_capacity(chunk.files.len());
            let mut in_flight = None;
            for item in chunk.files {
                // Sent before a pause: a pause takes effect when all files read are stored.
                if !self.control.is_running() && !self.send_read(&mut read, in_flight.take()) {
                    return;
                }
                in_flight = in_flight.or_else(|| self.control.checkpoint());
                if in_flight.is_none() {
                    // Files already read are stored; the channel is drained so that no sender blocks.
                    self.work.drain();
                    break;
                }
                read.extend(self.read(&mut worker, &chunk.folder, item));
            }
            if !self.send_read(&mut read, in_flight) {
                return;
            }
        }
    }

    /// Sends read files to the persist phase; false if the receiver is gone.
    fn send_read(&self, read: &mut Vec<ReadFile>, in_flight: Option<InFlightGuard>) -> bool {
        match in_flight {
            Some(in_flight) if !read.is_empty() => {
                let files = std::mem::take(read);
                self.results.send(Persist::Read(files, in_flight)).is_ok()
            }
            _ => true,
        }
    }

    /// Reads one file; `None` leaves it to the next run.
    fn read(&self, worker: &mut Worker, folder: &Arc<PendingFolder>, item: WorkItem) -> Option<ReadFile> {
        let kind = &folder.root.directory.kind;
        let counts = self.progress.kind(kind)?;
        let extractors = folder.root.extractors.get(&*extension(&item.name))?;
        let Some(first) = extractors.iter().find(|extractor| extractor.plugin.is_active()) else {
            // All plugins for it are quarantined; the file waits for them.
            self.report_quarantined(extractors, folder, item);
            return None;
        };
        let path = folder.path.join_text(&item.name);
        self.progress.reading(&path);
        let opened = match folder.root.files.open_file(&path) {
            Ok(opened) => opened,
            // Deleted since the directory was listed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                if !folder.is_refreshed {
                    counts.vanished();
                }
                return None;
            }
            Err(error) => {
                let failure = ExtractFailure::Io(error.to_string());
                return Some(finish(
                    folder,
                    item,
                    &first.version,
                    Content {
                        size: 0,
                        mtime_ns: READ_AGAIN,
                        fingerprint: None,
                    },
                    FileRecord::Failed(failure),
                ));
            }
        };
        self.progress.file_opened();
        let content = Content {
            size: i64::try_from(opened.size).unwrap_or(i64::MAX),
            mtime_ns: opened.mtime_ns,
            fingerprint: fingerprint(&opened.file, opened.size),
        };
        let sidecars = FileSidecars {
            folder: Arc::clone(&folder.sidecars),
            name: item.name.clone(),
        };
        let source = SourceFile::new(opened.file, item.name.clone(), opened.size);
        let source = Arc::new(source.with_sidecars(Arc::new(sidecars)));
        let (extractor, outcome) = self.try_extractors(worker, extractors, first, &source);
        let schema = folder.root.schema.as_deref();
        let record = to_record(outcome, kind, schema, &folder.path, &item.name, content.mtime_ns);
        Some(finish(folder, item, &extractor.version, content, record))
    }

    fn report_quarantined(&self, extractors: &[Extractor], folder: &Arc<PendingFolder>, item: WorkItem) {
        let Some(first) = extractors.first() else { return };
        let line = Persist::Quarantined {
            folder: Arc::clone(folder),
            id: item.id,
            name: item.name,
            plugin: Arc::clone(&first.version),
            reason: first.plugin.quarantine_reason(),
        };
        // Fails only if the run has ended for another reason.
        let _ = self.results.send(line);
    }

    /// Calls plugins in order until one accepts the file.
    fn try_extractors<'r>(
        &self,
        worker: &mut Worker,
        extractors: &'r [Extractor],
        first: &'r Extractor,
        source: &Arc<SourceFile>,
    ) -> (&'r Extractor, ExtractOutcome) {
        let mut asked = (
            first,
            Err(ExtractFailure::Refused("no plugin accepts the file".to_owned())),
        );
        for extractor in extractors.iter().filter(|extractor| extractor.plugin.is_active()) {
            // A panic would be a bug of the host; it must fail one file, not the run.
            let called = catch_unwind(AssertUnwindSafe(|| worker.extract(&extractor.plugin, source)));
            let outcome = called.unwrap_or_else(|_| {
                *worker = self.plugins.worker();
                Err(ExtractFailure::Trap(
                    "the host panicked during the plugin call".to_owned(),
                ))
            });
            let refused = matches!(outcome, Err(ExtractFailure::Refused(_)));
            asked = (extractor, outcome);
            if !refused {
                break;
            }
        }
        asked
    }
}

/// Size, time and fingerprint of a file when it was opened.
struct Content {
    size: i64,
    mtime_ns: i64,
    fingerprint: Option<i64>,
}

fn finish(
    folder: &Arc<PendingFolder>,
    item: WorkItem,
    plugin: &Arc<PluginVersion>,
    content: Content,
    record: FileRecord,
) -> ReadFile {
    let mut mtime_ns = content.mtime_ns;
    let mut try_again = false;
    if let FileRecord::Failed(failure) = &record {
        let path = folder.path.join_text(&item.name);
        let (plugin, version, code) = (&plugin.id, &plugin.version, failure.code());
        if failure.blames_plugin() {
            tracing::warn!(target: "svc::scan", file = %path, plugin, version, code, "{failure}");
        } else {
            tracing::info!(target: "svc::scan", file = %path, plugin, version, code, "{failure}");
        }
        if matches!(failure, ExtractFailure::Io(_)) {
            (mtime_ns, try_again) = (READ_AGAIN, true);
        }
    }
    let WorkItem {
        id,
        name,
        known,
        sidecar_digest,
    } = item;
    let file = ScannedFile {
        id,
        folder: folder.id,
        name,
        size: content.size,
        mtime_ns,
        fingerprint: content.fingerprint,
        sidecar_digest,
        known,
        record,
    };
    ReadFile {
        folder: Arc::clone(folder),
        plugin: Arc::clone(plugin),
        digest: digest_of(&file),
        file,
        try_again,
        kept_group: None,
    }
}

/// Converts the extracted fields to a record of the file's kind. A file without metadata is indexed by its name.
pub(super) fn to_record(
    outcome: ExtractOutcome,
    kind: &MediaKind,
    schema: Option<&KindSchema>,
    folder: &RelativePath,
    name: &str,
    mtime_ns: i64,
) -> FileRecord {
    let extraction: Extraction = match outcome {
        Ok(extraction) => extraction.unwrap_or_default(),
        Err(failure) => return FileRecord::Failed(failure),
    };
    match kind.as_str() {
        "music" => FileRecord::Track(Box::new(TrackFacts::from_extraction(&extraction, folder, name))),
        "movies" | "tv" => FileRecord::Video(Box::new(VideoFacts::from_extraction(
            &extraction,
            kind,
            folder,
            name,
        ))),
        "photos" => {
            let modified = Timestamp::from_millis(mtime_ns.div_euclid(1_000_000));
            FileRecord::Photo(Box::new(PhotoFacts::from_extraction(&extraction, name, modified)))
        }
        other => match schema {
            Some(schema) => FileRecord::Item(Box::new(ItemRecord::from_extraction(
                &extraction,
                schema,
                folder,
                name,
            ))),
            // A root is scanned only if its kind is defined.
            None => FileRecord::Failed(ExtractFailure::Unsupported(format!(
                "no plugin defines the kind `{other}`"
            ))),
        },
    }
}
