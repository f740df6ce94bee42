//! Codes of four letters: sample entries of QuickTime and MP4, and Windows codes (AVI, ASF, `V_MS/VFW/FOURCC`).

use std::borrow::Cow;

use super::unknown;

pub(crate) fn quicktime_video(code: [u8; 4]) -> Cow<'static, str> {
    Cow::Borrowed(match &code {
        b"avc1" | b"avc2" | b"avc3" | b"avc4" | b"dvav" | b"dva1" | b"xalg" => "h264",
        b"hvc1" | b"hev1" | b"dvhe" | b"dvh1" => "hevc",
        b"vvc1" | b"vvi1" => "vvc",
        b"av01" | b"dav1" => "av1",
        b"vp08" => "vp8",
        b"vp09" => "vp9",
        b"mp4v" | b"3IV2" => "mpeg4",
        b"s263" | b"h263" | b"H263" => "h263",
        b"jpeg" | b"mjpa" | b"AVDJ" => "mjpeg",
        b"mjpb" => "mjpegb",
        b"mjp2" => "jpeg2000",
        b"png " => "png",
        b"apcn" | b"apcs" | b"apco" | b"apch" | b"ap4h" | b"ap4x" | b"aprn" | b"aprh" => "prores",
        b"AVdn" | b"AVdh" => "dnxhd",
        b"CFHD" => "cfhd",
        b"SVQ1" | b"svq1" => "svq1",
        b"SVQ3" => "svq3",
        b"cvid" => "cinepak",
        b"rle " => "qtrle",
        b"rpza" => "rpza",
        b"smc " => "smc",
        b"vc-1" => "vc1",
        b"m1v " | b"mp1v" => "mpeg1video",
        b"m2v1" | b"mp2v" | b"mpg2" => "mpeg2video",
        b"icod" => "aic",
        b"raw " | b"2vuy" | b"yuv2" | b"v210" => "rawvideo",
        [b'd', b'v', b'c' | b'p' | b'h', ..] | [b'd', b'v', b'5', ..] => "dvvideo",
        [b'x', b'd', b'v', ..] | [b'h', b'd', b'v', ..] | [b'm', b'x', b'3' | b'4' | b'5', ..] => {
            "mpeg2video"
        }
        _ => return windows(code),
    })
}

pub(crate) fn quicktime_audio(code: [u8; 4]) -> Cow<'static, str> {
    Cow::Borrowed(match &code {
        b"mp4a" => "aac",
        b"ac-3" | b"sac3" => "ac3",
        b"ec-3" => "eac3",
        b"ac-4" => "ac4",
        b"dtsc" | b"dtsh" | b"dtsl" | b"dtse" | b"DTS " => "dts",
        b"mlpa" => "truehd",
        b"Opus" => "opus",
        b"fLaC" => "flac",
        b"alac" => "alac",
        b"samr" => "amr_nb",
        b"sawb" => "amr_wb",
        b".mp3" | [b'm', b's', 0, 0x55] => "mp3",
        b".mp2" => "mp2",
        b"ulaw" => "pcm_mulaw",
        b"alaw" => "pcm_alaw",
        b"ima4" => "adpcm_ima_qt",
        b"QDM2" => "qdm2",
        b"QDMC" => "qdmc",
        b"mha1" | b"mhm1" => "mpegh_3d_audio",
        b"sevc" | b"evrc" => "evrc",
        b"sqcp" | b"Qclp" => "qcelp",
        b"spex" => "speex",
        b"agsm" => "gsm",
        _ => return unknown(&code),
    })
}

/// The name of a PCM format.
pub(crate) fn pcm(bits: u32, is_float: bool, is_big_endian: bool, is_signed: bool) -> Cow<'static, str> {
    let order = if is_big_endian { "be" } else { "le" };
    let kind = match (is_float, is_signed) {
        (true, _) => 'f',
        (false, true) => 's',
        (false, false) => 'u',
    };
    match bits {
        0..=8 => Cow::Owned(format!("pcm_{kind}8")),
        9..=16 => Cow::Owned(format!("pcm_{kind}16{order}")),
        17..=24 => Cow::Owned(format!("pcm_{kind}24{order}")),
        25..=32 => Cow::Owned(format!("pcm_{kind}32{order}")),
        _ => Cow::Owned(format!("pcm_{kind}64{order}")),
    }
}

/// Whether the sample entry is of subtitles, in a track of any handler.
pub(crate) fn is_subtitle(code: [u8; 4]) -> bool {
    matches!(
        &code,
        b"tx3g" | b"wvtt" | b"stpp" | b"sbtt" | b"stxt" | b"dfxp" | b"c608" | b"c708" | b"enct" | b"encs"
    )
}

pub(crate) fn quicktime_subtitle(code: [u8; 4]) -> Cow<'static, str> {
    Cow::Borrowed(match &code {
        b"tx3g" | b"text" => "mov_text",
        b"wvtt" => "webvtt",
        b"stpp" | b"dfxp" => "ttml",
        b"c608" => "eia_608",
        b"mp4s" => "dvd_subtitle",
        _ => return unknown(&code),
    })
}

/// The codec of text subtitles with this media type.
pub(crate) fn subtitle_text(media_type: &[u8]) -> Option<&'static str> {
    match media_type.to_ascii_lowercase().as_slice() {
        b"text/vtt" => Some("webvtt"),
        b"application/ttml+xml" => Some("ttml"),
        b"application/x-subrip" => Some("subrip"),
        _ => None,
    }
}

/// The codec of a Windows bitmap header.
pub(crate) fn windows(code: [u8; 4]) -> Cow<'static, str> {
    Cow::Borrowed(match &code.map(|byte| byte.to_ascii_uppercase()) {
        b"H264" | b"X264" | b"AVC1" | b"DAVC" | b"VSSH" | b"Q264" => "h264",
        b"HEVC" | b"H265" | b"X265" | b"HVC1" | b"HEV1" => "hevc",
        b"AV01" => "av1",
        b"VP60" | b"VP61" | b"VP62" => "vp6",
        b"VP6F" => "vp6f",
        b"VP80" => "vp8",
        b"VP90" => "vp9",
        b"XVID" | b"DIVX" | b"DX50" | b"FMP4" | b"MP4S" | b"M4S2" | b"MP4V" | b"3IV2" | b"BLZ0" | b"RMP4"
        | b"DXGM" | b"SEDG" | b"UMP4" | b"WV1F" => "mpeg4",
        b"MP43" | b"DIV3" | b"DIV4" | b"DIV5" | b"DIV6" | b"MPG3" | b"COL0" | b"COL1" | b"AP41" | b"DVX3" => {
            "msmpeg4v3"
        }
        b"MP42" | b"DIV2" => "msmpeg4v2",
        b"MPG4" | b"MP41" | b"DIV1" => "msmpeg4v1",
        b"WMV1" => "wmv1",
        b"WMV2" => "wmv2",
        b"WMV3" => "wmv3",
        b"WVC1" | b"WMVA" => "vc1",
        b"MPG1" | b"MPEG" => "mpeg1video",
        b"MPG2" | b"MP2V" | b"MPGV" | b"EM2V" | b"DVR " => "mpeg2video",
        b"MJPG" | b"AVRN" | b"JPEG" | b"LJPG" | b"IJPG" => "mjpeg",
        b"MJPA" => "mjpeg",
        b"DVSD" | b"DVHD" | b"DVSL" | b"DV25" | b"DV50" | b"DVIS" | b"CDVC" | b"DVCP" | b"AVDV" => "dvvideo",
        b"HFYU" => "huffyuv",
        b"FFVH" => "ffvhuff",
        b"FFV1" => "ffv1",
        b"IV31" | b"IV32" => "indeo3",
        b"IV41" => "indeo4",
        b"IV50" => "indeo5",
        b"CVID" => "cinepak",
        b"MSVC" | b"CRAM" | b"WHAM" => "msvideo1",
        b"H261" => "h261",
        b"H263" | b"S263" | b"L263" | b"M263" => "h263",
        b"I263" => "h263i",
        b"U263" => "h263",
        b"THEO" => "theora",
        b"DRAC" => "dirac",
        b"SNOW" => "snow",
        b"TSCC" => "tscc",
        b"MP2T" => "mpegts",
        b"RT21" => "indeo2",
        b"LAGS" => "lagarith",
        b"ULRG" | b"ULRA" | b"ULY0" | b"ULY2" | b"ULH0" | b"ULH2" => "utvideo",
        b"MAGY" => "magicyuv",
        b"FPS1" => "fraps",
        b"PNG " | b"MPNG" => "png",
        b"FLV1" => "flv1",
        b"SVQ3" => "svq3",
        b"I420" | b"IYUV" | b"YV12" | b"YUY2" | b"UYVY" | b"Y800" | b"NV12" | [0, 0, 0, 0] => "rawvideo",
        [1 | 2, 0, 0, 0] => "msrle",
        _ => return unknown(&code),
    })
}
