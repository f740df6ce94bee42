//! Waveforms of tracks.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, PathId, State};
use crate::query::{FromQuery, Query, QueryParams};
use crate::waveform_response::WaveformResponse;
use svc_domain::id::MusicTrackId;
use svc_library::waveforms::MAX_BINS;

/// Fewer say nothing.
const MIN_BINS: u32 = 16;
/// As many as a player shows.
const BINS: u32 = 1024;

/// How fine a waveform is wanted.
#[derive(Debug)]
pub struct WaveformQuery {
    bins: u32,
}

impl FromQuery for WaveformQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let about = "How many bins at most, 1024 if left out. The answer has the next lower power of two.";
        let bins = params.integer("bins", about, i64::from(MIN_BINS)..=i64::from(MAX_BINS));
        Self {
            bins: bins.and_then(|bins| u32::try_from(bins).ok()).unwrap_or(BINS),
        }
    }
}

/// The waveform of a track
///
/// Peak and loudness over time, loudness of the whole, and the silence at both ends. It is measured when it is first
/// asked for, once for all who ask, and kept: what takes longer than a second is answered with 202, and
/// `music.waveform_ready` tells those who asked when it is done. A file whose sound cannot be decoded is 422.
#[endpoint]
pub async fn get_waveform(
    state: State,
    caller: Caller,
    query: Query<WaveformQuery>,
    music_track_id: PathId<MusicTrackId>,
) -> Result<WaveformResponse, ApiError> {
    let waveform = state
        .waveforms
        .waveform(&caller, music_track_id.0, query.0.bins)
        .await?;
    Ok(WaveformResponse(waveform))
}
