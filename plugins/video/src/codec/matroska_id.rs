//! Codecs by Matroska's codec ids (`V_MPEG4/ISO/AVC`), named as in ffprobe.

use std::borrow::Cow;

use super::fourcc::{pcm, quicktime_audio, quicktime_video, windows};
use super::{unknown, wave};
use crate::video::{Kind, Stream};

/// A stream by its codec id and private data; `bits` is the sample size.
pub(crate) fn stream(kind: Kind, id: &str, private: &[u8], bits: u32) -> Stream {
    if id == "A_MS/ACM"
        && let Some(stream) = wave::stream(private)
    {
        return stream;
    }
    Stream::new(kind, name(id, private, bits))
}

fn name(id: &str, private: &[u8], bits: u32) -> Cow<'static, str> {
    // `A_AAC/MPEG4/LC/SBR`, `A_DTS/EXPRESS`: a profile follows the name.
    let profiled = [
        "A_AAC",
        "A_DTS",
        "A_REAL",
        "A_AC3",
        "A_TRUEHD",
        "V_MPEG4/ISO",
        "V_PRORES",
    ];
    let id = profiled
        .into_iter()
        .find(|start| {
            id.strip_prefix(start)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                && id != "V_MPEG4/ISO/AVC"
        })
        .unwrap_or(id);
    Cow::Borrowed(match id {
        "V_MPEG4/ISO/AVC" => "h264",
        "V_MPEGH/ISO/HEVC" => "hevc",
        "V_MPEGI/ISO/VVC" => "vvc",
        "V_AV1" => "av1",
        "V_VP8" => "vp8",
        "V_VP9" => "vp9",
        "V_MPEG1" => "mpeg1video",
        "V_MPEG2" => "mpeg2video",
        "V_MPEG4/ISO" => "mpeg4",
        "V_MPEG4/MS/V3" => "msmpeg4v3",
        "V_THEORA" => "theora",
        "V_MJPEG" => "mjpeg",
        "V_FFV1" => "ffv1",
        "V_PRORES" => "prores",
        "V_DIRAC" => "dirac",
        "V_SNOW" => "snow",
        "V_UNCOMPRESSED" => "rawvideo",
        "V_REAL/RV10" => "rv10",
        "V_REAL/RV20" => "rv20",
        "V_REAL/RV30" => "rv30",
        "V_REAL/RV40" => "rv40",
        // A bitmap header: the code follows sizes, planes and bits.
        "V_MS/VFW/FOURCC" => {
            return private
                .get(16..)
                .and_then(<[u8]>::first_chunk)
                .map_or(Cow::Borrowed("unknown"), |code| windows(*code));
        }
        "V_QUICKTIME" => {
            return private
                .get(4..)
                .and_then(<[u8]>::first_chunk)
                .map_or(Cow::Borrowed("unknown"), |code| quicktime_video(*code));
        }
        "A_QUICKTIME" => {
            return private
                .get(4..)
                .and_then(<[u8]>::first_chunk)
                .map_or(Cow::Borrowed("unknown"), |code| quicktime_audio(*code));
        }
        "A_AAC" => "aac",
        "A_AC3" => "ac3",
        "A_EAC3" => "eac3",
        "A_DTS" => "dts",
        "A_TRUEHD" => "truehd",
        "A_MLP" => "mlp",
        "A_MPEG/L1" => "mp1",
        "A_MPEG/L2" => "mp2",
        "A_MPEG/L3" => "mp3",
        "A_OPUS" => "opus",
        "A_VORBIS" => "vorbis",
        "A_FLAC" => "flac",
        "A_ALAC" => "alac",
        "A_WAVPACK4" => "wavpack",
        "A_TTA1" => "tta",
        "A_PCM/INT/LIT" => return pcm(bits, false, false, bits > 8),
        "A_PCM/INT/BIG" => return pcm(bits, false, true, bits > 8),
        "A_PCM/FLOAT/IEEE" => return pcm(bits, true, false, true),
        "S_TEXT/UTF8" | "S_TEXT/ASCII" => "subrip",
        "S_TEXT/ASS" | "S_TEXT/SSA" | "S_ASS" | "S_SSA" => "ass",
        "S_TEXT/WEBVTT" | "D_WEBVTT/SUBTITLES" | "D_WEBVTT/CAPTIONS" => "webvtt",
        "S_TEXT/USF" => "usf",
        "S_HDMV/PGS" => "hdmv_pgs_subtitle",
        "S_HDMV/TEXTST" => "hdmv_text_subtitle",
        "S_VOBSUB" => "dvd_subtitle",
        "S_DVBSUB" => "dvb_subtitle",
        "S_ARIBSUB" => "arib_caption",
        "S_KATE" => "kate",
        _ => return unknown(id.as_bytes()),
    })
}
