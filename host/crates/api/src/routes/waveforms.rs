//! Waveforms of tracks.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, PathId, State};
use crate::query::{FromQuery, Query, QueryParams};
use crate::waveform_response::WaveformResponse;
use svc_domain::id::MusicTrackId;
use svc_library::waveforms::MAX_BINS;

const MIN_BINS: u32 = 16;
const DEFAULT_BINS: u32 = 1024;

/// The query of a waveform: its resolution.
#[derive(Debug)]
pub struct WaveformQuery {
    bins: u32,
}

impl FromQuery for WaveformQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let about = "Maximum number of bins; default: 1024. It is rounded down to a power of two.";
        let bins = params.integer("bins", about, i64::from(MIN_BINS)..=i64::from(MAX_BINS));
        Self {
            bins: bins.unwrap_or(DEFAULT_BINS),
        }
    }
}

/// Get the waveform of a track
///
/// Peak and root mean square over time, loudness of the whole track, and the silence at both ends. The server computes the
/// waveform on the first request and stores it. If that takes longer than a second, the response is 202, and the event
/// `music.waveform_ready` is sent to the callers that requested it. 422 if the audio of the file cannot be decoded.
#[endpoint]
pub async fn get_waveform(
    state: State,
    caller: Caller,
    query: Query<WaveformQuery>,
    music_track_id: PathId<MusicTrackId>,
) -> Result<WaveformResponse, ApiError> {
    let waveforms = &state.waveforms;
    let waveform = waveforms.waveform(&caller, music_track_id.0, query.0.bins);
    Ok(WaveformResponse(waveform.await?))
}
