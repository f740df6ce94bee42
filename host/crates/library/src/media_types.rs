//! Content types of media, by file extension.

use svc_domain::path::extension;

/// Content types of audio and image files, by file extension.
pub const TYPES: &[(&str, &str)] = &[
    ("aac", "audio/aac"),
    ("adts", "audio/aac"),
    ("afc", "audio/aiff"),
    ("aif", "audio/aiff"),
    ("aifc", "audio/aiff"),
    ("aiff", "audio/aiff"),
    ("ape", "audio/x-ape"),
    ("asf", "audio/x-ms-wma"),
    ("bwf", "audio/wav"),
    ("dsf", "audio/x-dsf"),
    ("flac", "audio/flac"),
    ("m4a", "audio/mp4"),
    ("m4b", "audio/mp4"),
    ("m4p", "audio/mp4"),
    ("m4r", "audio/mp4"),
    ("mka", "audio/x-matroska"),
    ("mp+", "audio/x-musepack"),
    ("mp1", "audio/mpeg"),
    ("mp2", "audio/mpeg"),
    ("mp3", "audio/mpeg"),
    ("mp4", "audio/mp4"),
    ("mp4a", "audio/mp4"),
    ("mpc", "audio/x-musepack"),
    ("mpp", "audio/x-musepack"),
    ("oga", "audio/ogg"),
    ("ogg", "audio/ogg"),
    ("oggflac", "audio/ogg"),
    ("opus", "audio/ogg"),
    ("rf64", "audio/wav"),
    ("spx", "audio/ogg"),
    ("w64", "audio/x-w64"),
    ("wav", "audio/wav"),
    ("wave", "audio/wav"),
    ("wma", "audio/x-ms-wma"),
    ("wv", "audio/x-wavpack"),
    ("arw", "image/x-sony-arw"),
    ("avif", "image/avif"),
    ("bmp", "image/bmp"),
    ("cr2", "image/x-canon-cr2"),
    ("cr3", "image/x-canon-cr3"),
    ("dng", "image/x-adobe-dng"),
    ("gif", "image/gif"),
    ("heic", "image/heic"),
    ("heif", "image/heif"),
    ("hif", "image/heif"),
    ("jfif", "image/jpeg"),
    ("jpe", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("jxl", "image/jxl"),
    ("nef", "image/x-nikon-nef"),
    ("nrw", "image/x-nikon-nrw"),
    ("orf", "image/x-olympus-orf"),
    ("pef", "image/x-pentax-pef"),
    ("png", "image/png"),
    ("raf", "image/x-fuji-raf"),
    ("rw2", "image/x-panasonic-rw2"),
    ("sr2", "image/x-sony-sr2"),
    ("srf", "image/x-sony-srf"),
    ("srw", "image/x-samsung-srw"),
    ("tif", "image/tiff"),
    ("tiff", "image/tiff"),
    ("webp", "image/webp"),
];

/// Content types of video files, by file extension. A container that is also used for audio has another type in [`TYPES`].
pub const VIDEO_TYPES: &[(&str, &str)] = &[
    ("3g2", "video/3gpp2"),
    ("3gp", "video/3gpp"),
    ("asf", "video/x-ms-asf"),
    ("avi", "video/x-msvideo"),
    ("divx", "video/x-msvideo"),
    ("dvr-ms", "video/x-ms-asf"),
    ("f4v", "video/mp4"),
    ("flv", "video/x-flv"),
    ("m2p", "video/mpeg"),
    ("m2t", "video/mp2t"),
    ("m2ts", "video/mp2t"),
    ("m4v", "video/mp4"),
    ("mk3d", "video/x-matroska"),
    ("mkv", "video/x-matroska"),
    ("mov", "video/quicktime"),
    ("mp4", "video/mp4"),
    ("mpe", "video/mpeg"),
    ("mpeg", "video/mpeg"),
    ("mpg", "video/mpeg"),
    ("mts", "video/mp2t"),
    ("ogm", "video/ogg"),
    ("ogv", "video/ogg"),
    ("qt", "video/quicktime"),
    ("tp", "video/mp2t"),
    ("trp", "video/mp2t"),
    ("ts", "video/mp2t"),
    ("vob", "video/mpeg"),
    ("webm", "video/webm"),
    ("wmv", "video/x-ms-wmv"),
];

/// Content types of subtitle files, by file extension.
pub const SUBTITLE_TYPES: &[(&str, &str)] = &[
    ("ass", "text/x-ssa"),
    ("smi", "application/x-sami"),
    ("srt", "application/x-subrip"),
    ("ssa", "text/x-ssa"),
    ("vtt", "text/vtt"),
];

/// Content types of embedded pictures that are accepted. A media file may declare any type, such as `text/html`.
pub const PICTURE_TYPES: [&str; 9] = [
    "image/avif",
    "image/bmp",
    "image/gif",
    "image/heic",
    "image/jpeg",
    "image/jxl",
    "image/png",
    "image/tiff",
    "image/webp",
];

/// The content type of all other files.
pub const PLAIN_BYTES: &str = "application/octet-stream";

/// Whether a browser may render a file of this type, which a plugin named: it holds no scripts and no markup.
pub fn is_rendered_safely(content_type: &str) -> bool {
    let (family, format) = content_type.split_once('/').unwrap_or_default();
    match family {
        "audio" | "video" => true,
        "image" => !format.starts_with("svg"),
        _ => false,
    }
}

/// The content type of a file by the extension of its name; [`PLAIN_BYTES`] if the extension is not in `types`.
pub fn type_of(name: &str, types: &[(&str, &'static str)]) -> &'static str {
    let ending = extension(name);
    types
        .iter()
        .find(|(known, _)| **known == ending)
        .map_or(PLAIN_BYTES, |(_, mime)| mime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_extension_of_the_bundled_plugins_has_a_type() {
        for (manifest, types, kind) in [
            (
                include_str!("../../../../plugins/movies/plugin.toml"),
                VIDEO_TYPES,
                "video/",
            ),
            (
                include_str!("../../../../plugins/tv/plugin.toml"),
                VIDEO_TYPES,
                "video/",
            ),
            (
                include_str!("../../../../plugins/music/plugin.toml"),
                TYPES,
                "audio/",
            ),
            (
                include_str!("../../../../plugins/photos/plugin.toml"),
                TYPES,
                "image/",
            ),
        ] {
            let manifest: toml::Table = manifest.parse().unwrap();
            let extensions = manifest["kinds"][0]["extensions"].as_array().unwrap();
            assert!(extensions.len() > 20);
            for extension in extensions {
                let name = format!("a.{}", extension.as_str().unwrap());
                assert!(type_of(&name, types).starts_with(kind), "{name}");
            }
        }
        assert_eq!(type_of("a.html", VIDEO_TYPES), PLAIN_BYTES);
        assert_eq!(type_of("a.MKV", VIDEO_TYPES), "video/x-matroska");
    }
}
