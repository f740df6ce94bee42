//! The known keys with their types: the table of `docs/plugin-keys.md`; a test compares them.

use crate::limits;

/// Key and type name, sorted by key.
pub(super) const KNOWN: &[(&str, &str)] = &[
    ("audio.bit-depth", "integer"),
    ("audio.bitrate", "integer"),
    ("audio.channels", "integer"),
    ("audio.codec", "text"),
    ("audio.container", "text"),
    ("audio.sample-rate", "integer"),
    ("field-sources", "texts"),
    ("item.chapters", "texts"),
    ("item.page-count", "integer"),
    ("movie.collection", "text"),
    ("movie.content-rating", "text"),
    ("movie.edition", "text"),
    ("movie.external-ids", "texts"),
    ("movie.genres", "texts"),
    ("movie.original-title", "text"),
    ("movie.overview", "text"),
    ("movie.part", "integer"),
    ("movie.people", "texts"),
    ("movie.released", "date"),
    ("movie.studios", "texts"),
    ("movie.tagline", "text"),
    ("movie.year", "integer"),
    ("music.album", "text"),
    ("music.album-artists", "texts"),
    ("music.album-artists-sort", "texts"),
    ("music.album-sort", "text"),
    ("music.artists", "texts"),
    ("music.artists-sort", "texts"),
    ("music.bpm", "real"),
    ("music.comment", "text"),
    ("music.compilation", "boolean"),
    ("music.composers", "texts"),
    ("music.conductors", "texts"),
    ("music.date", "date"),
    ("music.disc-number", "integer"),
    ("music.disc-total", "integer"),
    ("music.genres", "texts"),
    ("music.isrc", "text"),
    ("music.lyricists", "texts"),
    ("music.mb-album-artist-ids", "texts"),
    ("music.mb-artist-ids", "texts"),
    ("music.mb-recording-id", "text"),
    ("music.mb-release-group-id", "text"),
    ("music.mb-release-id", "text"),
    ("music.mb-track-id", "text"),
    ("music.original-date", "date"),
    ("music.performers", "texts"),
    ("music.producers", "texts"),
    ("music.release-types", "texts"),
    ("music.remixers", "texts"),
    ("music.replaygain-album-gain", "real"),
    ("music.replaygain-album-peak", "real"),
    ("music.replaygain-track-gain", "real"),
    ("music.replaygain-track-peak", "real"),
    ("music.track-number", "integer"),
    ("music.track-total", "integer"),
    ("name.confidence", "real"),
    ("name.matched", "text"),
    ("name.pattern", "text"),
    ("photo.aperture", "rational"),
    ("photo.exposure-time", "rational"),
    ("photo.focal-length", "rational"),
    ("photo.gps-altitude", "real"),
    ("photo.gps-latitude", "real"),
    ("photo.gps-longitude", "real"),
    ("photo.iso", "integer"),
    ("photo.lens", "text"),
    ("photo.make", "text"),
    ("photo.mime-type", "text"),
    ("photo.model", "text"),
    ("photo.orientation", "integer"),
    ("photo.rating", "integer"),
    ("photo.taken-at", "date"),
    ("related.artwork", "texts"),
    ("related.subtitles", "texts"),
    ("title-sort", "text"),
    ("tv.absolute", "integer"),
    ("tv.air-date", "date"),
    ("tv.content-rating", "text"),
    ("tv.episode", "integer"),
    ("tv.episode-end", "integer"),
    ("tv.external-ids", "texts"),
    ("tv.genres", "texts"),
    ("tv.overview", "text"),
    ("tv.people", "texts"),
    ("tv.season", "integer"),
    ("tv.show", "text"),
    ("tv.show-external-ids", "texts"),
    ("tv.show-overview", "text"),
    ("tv.show-sort", "text"),
    ("tv.show-year", "integer"),
    ("video.bitrate", "integer"),
    ("video.chapters", "texts"),
    ("video.comment", "text"),
    ("video.container", "text"),
    ("video.date", "date"),
    ("video.description", "text"),
    ("video.encoder", "text"),
    ("video.episode", "integer"),
    ("video.episode-title", "text"),
    ("video.genres", "texts"),
    ("video.season", "integer"),
    ("video.show", "text"),
    ("video.streams", "texts"),
    ("video.title", "text"),
];

/// The type of a known key.
pub(super) fn type_of(key: &str) -> Option<&'static str> {
    let at = KNOWN.binary_search_by(|(known, _)| (*known).cmp(key)).ok()?;
    KNOWN.get(at).map(|(_, type_name)| *type_name)
}

/// Whether the text has the form of a key.
pub(super) fn is_key(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= limits::KEY_BYTES
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'_'))
}

/// Whether the key is one of this plugin's own: `x.<plugin id>.` and a name.
pub(super) fn is_own(key: &str, plugin_id: &str) -> bool {
    key.strip_prefix("x.")
        .and_then(|rest| rest.strip_prefix(plugin_id))
        .is_some_and(|rest| rest.len() > 1 && rest.starts_with('.'))
}
