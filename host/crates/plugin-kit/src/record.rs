//! What a plugin returned for one file, as JSON: the form of `svc plugin run`, of `svc inspect` and of golden files.

use data_encoding::HEXLOWER;
use serde_json::{Map, Value as Json, json};
use sha2::{Digest as _, Sha256};
use svc_domain::extraction::{ExtractFailure, ExtractOutcome, Extraction, Picture, PictureData};
use svc_domain::page::Page;
use svc_domain::rendering::RenderedImage;
use svc_domain::waveform::AudioSummary;

/// Why the host calls a plugin no more, see [`Record::is_suspended`].
pub(crate) const SUSPENDED: &str = "the plugin failed too often to be called again within this minute";

/// The results of all abilities for one file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Record {
    parts: Map<String, Json>,
    artwork: Vec<Json>,
    failures: Vec<ExtractFailure>,
}

impl Record {
    pub(crate) fn add_extraction(&mut self, outcome: ExtractOutcome) {
        if !self.artwork.is_empty() {
            let artwork = std::mem::take(&mut self.artwork);
            self.parts.insert("artwork".to_owned(), Json::Array(artwork));
        }
        self.add(
            "extraction",
            outcome.map(|read| read.as_ref().map_or(Json::Null, extraction_json)),
        );
    }

    pub(crate) fn add_artwork(&mut self, outcome: Result<Vec<u8>, ExtractFailure>) {
        let part = match outcome {
            Ok(bytes) => bytes_json(&bytes),
            Err(failure) => {
                let json = json!({ "failure": failure_json(&failure) });
                self.failures.push(failure);
                json
            }
        };
        self.artwork.push(part);
    }

    pub(crate) fn add_pages(&mut self, outcome: Result<Vec<Page>, ExtractFailure>) {
        let pages = outcome.map(|pages| pages.iter().map(page_json).collect());
        self.add("pages", pages.map(Json::Array));
    }

    pub(crate) fn add_page(&mut self, outcome: Result<Vec<u8>, ExtractFailure>) {
        self.add("firstPackedPage", outcome.map(|bytes| bytes_json(&bytes)));
    }

    pub(crate) fn add_thumbnails(&mut self, outcome: Result<Vec<RenderedImage>, ExtractFailure>) {
        let images = outcome.map(|images| images.iter().map(image_json).collect());
        self.add("thumbnails", images.map(Json::Array));
    }

    pub(crate) fn add_waveform(&mut self, outcome: Result<AudioSummary, ExtractFailure>) {
        self.add("waveform", outcome.map(|summary| waveform_json(&summary)));
    }

    fn add(&mut self, name: &str, outcome: Result<Json, ExtractFailure>) {
        let part = match outcome {
            Ok(part) => part,
            Err(failure) => {
                let json = json!({ "failure": failure_json(&failure) });
                self.failures.push(failure);
                json
            }
        };
        self.parts.insert(name.to_owned(), part);
    }

    /// One object with a key for each ability.
    pub fn to_json(&self) -> Json {
        Json::Object(self.parts.clone())
    }

    /// Why abilities returned no result.
    pub fn failures(&self) -> &[ExtractFailure] {
        &self.failures
    }

    /// The first failure that is a fault of the plugin, whatever the file: a trap, a limit, output that violates the
    /// contract.
    pub fn fault(&self) -> Option<&ExtractFailure> {
        self.failures
            .iter()
            .find(|failure| failure.blames_plugin() || matches!(failure, ExtractFailure::Budget(_)))
    }

    /// Whether the host no longer calls the plugin, after too many faults.
    pub(crate) fn is_suspended(&self) -> bool {
        self.failures
            .iter()
            .any(|failure| matches!(failure, ExtractFailure::Later { .. }))
    }
}

/// A failure: its code, which is part of the contract, and its text.
pub fn failure_json(failure: &ExtractFailure) -> Json {
    json!({ "code": failure.code(), "message": failure.to_string() })
}

/// The metadata of a file.
pub fn extraction_json(extraction: &Extraction) -> Json {
    let fields: Map<String, Json> = extraction
        .fields
        .iter()
        .map(|field| (field.key.clone(), field.value.to_json()))
        .collect();
    json!({
        "title": extraction.title,
        "durationMs": extraction.duration_ms,
        "width": extraction.width,
        "height": extraction.height,
        "fields": fields,
        "pictures": extraction.pictures.iter().map(picture_json).collect::<Vec<_>>(),
        "warnings": extraction.warnings,
    })
}

/// An embedded picture: where its bytes are, not the bytes.
pub fn picture_json(picture: &Picture) -> Json {
    json!({ "purpose": picture.purpose, "mime": picture.mime, "data": place_json(picture.data) })
}

fn place_json(data: PictureData) -> Json {
    match data {
        PictureData::At(span) => json!({ "offset": span.offset, "length": span.length }),
        PictureData::OnRequest => json!("on-request"),
    }
}

fn page_json(page: &Page) -> Json {
    json!({
        "label": page.label,
        "mime": page.mime,
        "width": page.size.map(|size| size.width),
        "height": page.size.map(|size| size.height),
        "data": place_json(page.data),
    })
}

fn image_json(image: &RenderedImage) -> Json {
    let mut json = bytes_json(&image.bytes);
    if let Some(object) = json.as_object_mut() {
        object.insert("width".to_owned(), json!(image.width));
        object.insert("height".to_owned(), json!(image.height));
        object.insert("mime".to_owned(), json!(image.format.mime()));
    }
    json
}

fn bytes_json(bytes: &[u8]) -> Json {
    json!({ "length": bytes.len(), "sha256": HEXLOWER.encode(Sha256::digest(bytes).as_slice()) })
}

fn waveform_json(summary: &AudioSummary) -> Json {
    json!({
        "sampleRate": summary.sample_rate,
        "channels": summary.channels,
        "frames": summary.frames,
        "peak": summary.peak,
        "rms": summary.rms,
        "integratedLoudness": summary.integrated_loudness,
        "truePeak": summary.true_peak,
        "silenceLeadInMs": summary.silence_lead_in_ms,
        "silenceLeadOutMs": summary.silence_lead_out_ms,
    })
}
