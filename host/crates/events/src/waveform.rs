//! Payload of the waveform event.

use serde::Serialize;

use crate::indexing::text;
use crate::message::{Audience, EventKind, Message};
use svc_domain::id::{MusicTrackId, UserId};
use svc_domain::waveform::AudioSummary;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Ready<'s> {
    #[serde(serialize_with = "text")]
    music_track_id: MusicTrackId,
    waveform: WaveformPayload<'s>,
}

/// The same as the response of `GET /music/tracks/{musicTrackId}/waveform`; a test compares them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WaveformPayload<'s> {
    version: u32,
    bin_count: usize,
    sample_rate: u32,
    channels: Channels<'s>,
    #[serde(skip_serializing_if = "Option::is_none")]
    integrated_loudness: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    true_peak: Option<f64>,
    silence_lead_in: f64,
    silence_lead_out: f64,
}

#[derive(Serialize)]
struct Channels<'s> {
    peak: &'s [u8],
    rms: &'s [u8],
}

/// `music.waveform_ready`, for the user who requested the waveform.
pub fn ready(user: UserId, track: MusicTrackId, summary: &AudioSummary) -> Message {
    let payload = Ready {
        music_track_id: track,
        waveform: WaveformPayload {
            version: AudioSummary::VERSION,
            bin_count: summary.peak.len(),
            sample_rate: summary.sample_rate,
            channels: Channels {
                peak: &summary.peak,
                rms: &summary.rms,
            },
            integrated_loudness: summary.integrated_loudness,
            true_peak: summary.true_peak,
            silence_lead_in: summary.silence_lead_in_ms as f64 / 1000.0,
            silence_lead_out: summary.silence_lead_out_ms as f64 / 1000.0,
        },
    };
    let kind = EventKind::MusicWaveformReady;
    Message::to(Audience::Owner(kind.capability(), user), kind, &payload)
}
