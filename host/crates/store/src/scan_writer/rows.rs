//! Statements of a scan over many rows.

use svc_database::bulk::Bulk;

/// Reference of a plugin version; adds the version if it is new.
pub(super) const ADD_PLUGIN: &str = "INSERT INTO plugins_seen \
    (plugin_ref, plugin_id, version, digest, record_schema, component) \
    SELECT coalesce(max(plugin_ref), 0) + 1, $1, $2, $3, $4, $5 FROM plugins_seen WHERE TRUE \
    ON CONFLICT (plugin_id, version, digest, record_schema) DO UPDATE SET component = excluded.component \
    RETURNING plugin_ref";

/// Missing files that are present again: with or without an extracted record.
pub(super) const RESTORE_FILES: &str = "UPDATE files SET missing_since = NULL, \
    status = CASE WHEN failure_code IS NULL THEN 0 ELSE 1 END WHERE status = 2 AND file_id";

pub(super) static FILES: Bulk = Bulk {
    head: "INSERT INTO files (file_id, folder_id, name, size, mtime_ns, status, plugin_ref, fingerprint, \
           related_stamp, record_digest, failure_code, failure_reason) VALUES",
    columns: 12,
    constants: "",
    tail: "ON CONFLICT (file_id) DO UPDATE SET folder_id = excluded.folder_id, name = excluded.name, \
           size = excluded.size, mtime_ns = excluded.mtime_ns, status = excluded.status, \
           plugin_ref = excluded.plugin_ref, missing_since = NULL, fingerprint = excluded.fingerprint, \
           related_stamp = excluded.related_stamp, record_digest = excluded.record_digest, failure_code = excluded.failure_code, \
           failure_reason = excluded.failure_reason",
};

pub(super) static MISSING: Bulk = Bulk {
    head: "WITH gone (file_id, since) AS (VALUES",
    columns: 2,
    constants: "",
    tail: ") UPDATE files SET status = 2, missing_since = gone.since FROM gone \
           WHERE files.file_id = gone.file_id AND files.status <> 2",
};

pub(super) static FOLDERS_DONE: Bulk = Bulk {
    head: "WITH done (folder_id, stamp, file_count) AS (VALUES",
    columns: 3,
    constants: "",
    tail: ") UPDATE folders SET stamp = done.stamp, file_count = done.file_count FROM done \
           WHERE folders.folder_id = done.folder_id",
};

pub(super) static RUN_LOGS: Bulk = Bulk {
    head: "INSERT INTO run_logs (run_log_id, run_id, event, media_kind, path, plugin, reason, diff) VALUES",
    columns: 8,
    constants: "",
    tail: "",
};

/// The first spelling of a name stays; an unknown MusicBrainz id is filled in.
pub(super) static ARTISTS: Bulk = Bulk {
    head: "INSERT INTO music_artists (artist_id, key, name, sort_name, mb_artist_id, release_count, track_count, \
           dirty) VALUES",
    columns: 5,
    constants: ", 0, 0, TRUE",
    tail: "ON CONFLICT (key) DO UPDATE SET dirty = TRUE, \
           mb_artist_id = coalesce(music_artists.mb_artist_id, excluded.mb_artist_id) RETURNING artist_id, key",
};

pub(super) static GENRES: Bulk = Bulk {
    head: "INSERT INTO music_genres (genre_id, key, name, track_count, dirty) VALUES",
    columns: 3,
    constants: ", 0, TRUE",
    tail: "ON CONFLICT (key) DO UPDATE SET dirty = TRUE RETURNING genre_id, key",
};

/// The last extracted file determines the title of the release.
pub(super) static RELEASES: Bulk = Bulk {
    head: "INSERT INTO music_releases (release_id, key, title, sort_title, release_type, year, original_year, \
           mb_release_id, mb_release_group_id, track_count, disc_count, duration_ms, dirty) VALUES",
    columns: 9,
    constants: ", 0, 1, 0, TRUE",
    tail: "ON CONFLICT (key) DO UPDATE SET title = excluded.title, sort_title = excluded.sort_title, \
           release_type = excluded.release_type, year = excluded.year, original_year = excluded.original_year, \
           mb_release_id = excluded.mb_release_id, mb_release_group_id = excluded.mb_release_group_id, \
           dirty = TRUE RETURNING release_id, key",
};

pub(super) static TRACKS: Bulk = Bulk {
    head: "INSERT INTO music_tracks (track_id, release_id, title, sort_title, track_number, disc_number, \
           duration_ms, bitrate, sample_rate, bit_depth, channels, codec, year, isrc, mb_recording_id, track_gain, \
           track_peak, album_gain, album_peak, picture_index, picture_offset, picture_length, picture_mime) VALUES",
    columns: 23,
    constants: "",
    tail: "ON CONFLICT (track_id) DO UPDATE SET release_id = excluded.release_id, title = excluded.title, \
           sort_title = excluded.sort_title, track_number = excluded.track_number, \
           disc_number = excluded.disc_number, duration_ms = excluded.duration_ms, bitrate = excluded.bitrate, \
           sample_rate = excluded.sample_rate, bit_depth = excluded.bit_depth, channels = excluded.channels, \
           codec = excluded.codec, year = excluded.year, isrc = excluded.isrc, \
           mb_recording_id = excluded.mb_recording_id, track_gain = excluded.track_gain, \
           track_peak = excluded.track_peak, album_gain = excluded.album_gain, album_peak = excluded.album_peak, \
           picture_index = excluded.picture_index, picture_offset = excluded.picture_offset, \
           picture_length = excluded.picture_length, picture_mime = excluded.picture_mime",
};

pub(super) static TRACK_ARTISTS: Bulk = Bulk {
    head: "INSERT INTO track_artists (track_id, position, artist_id, role) VALUES",
    columns: 4,
    constants: "",
    tail: "",
};

pub(super) static RELEASE_ARTISTS: Bulk = Bulk {
    head: "INSERT INTO release_artists (release_id, position, artist_id, role) VALUES",
    columns: 4,
    constants: "",
    tail: "",
};

pub(super) static TRACK_GENRES: Bulk = Bulk {
    head: "INSERT INTO track_genres (track_id, position, genre_id) VALUES",
    columns: 3,
    constants: "",
    tail: "",
};

pub(super) static PHOTOS: Bulk = Bulk {
    head: "INSERT INTO photos (photo_id, taken_at, taken_at_source, utc_offset_minutes, modified_at, width, height, \
           orientation, mime_type, make, model, lens, iso, aperture, exposure_numerator, exposure_denominator, \
           focal_length, latitude, longitude, altitude, rating, size, taken_day) VALUES",
    columns: 23,
    constants: "",
    tail: "ON CONFLICT (photo_id) DO UPDATE SET taken_at = excluded.taken_at, \
           taken_at_source = excluded.taken_at_source, utc_offset_minutes = excluded.utc_offset_minutes, \
           modified_at = excluded.modified_at, width = excluded.width, height = excluded.height, \
           orientation = excluded.orientation, mime_type = excluded.mime_type, make = excluded.make, \
           model = excluded.model, lens = excluded.lens, iso = excluded.iso, aperture = excluded.aperture, \
           exposure_numerator = excluded.exposure_numerator, \
           exposure_denominator = excluded.exposure_denominator, focal_length = excluded.focal_length, \
           latitude = excluded.latitude, longitude = excluded.longitude, altitude = excluded.altitude, \
           rating = excluded.rating, size = excluded.size, taken_day = excluded.taken_day",
};

/// The last extracted file determines the metadata of the movie.
pub(super) static MOVIES: Bulk = Bulk {
    head: "INSERT INTO movies (movie_id, key, title, sort_title, original_title, year, released_on, overview, \
           tagline, content_rating, collection, genres, studios, people, external_ids, source_count, dirty) \
           VALUES",
    columns: 15,
    constants: ", 0, TRUE",
    tail: "ON CONFLICT (key) DO UPDATE SET title = excluded.title, sort_title = excluded.sort_title, \
           original_title = excluded.original_title, year = excluded.year, released_on = excluded.released_on, \
           overview = excluded.overview, tagline = excluded.tagline, content_rating = excluded.content_rating, \
           collection = excluded.collection, genres = excluded.genres, studios = excluded.studios, people = \
           excluded.people, external_ids = excluded.external_ids, dirty = TRUE RETURNING movie_id, key",
};

/// The last extracted file determines the metadata of the show.
pub(super) static SHOWS: Bulk = Bulk {
    head: "INSERT INTO tv_shows (show_id, key, title, sort_title, year, overview, content_rating, genres, \
           external_ids, season_count, episode_count, dirty) VALUES",
    columns: 9,
    constants: ", 0, 0, TRUE",
    tail: "ON CONFLICT (key) DO UPDATE SET title = excluded.title, sort_title = excluded.sort_title, year = \
           excluded.year, overview = excluded.overview, content_rating = excluded.content_rating, genres = \
           excluded.genres, external_ids = excluded.external_ids, dirty = TRUE RETURNING show_id, key",
};

/// A season is identified by its show and number.
pub(super) static SEASONS: Bulk = Bulk {
    head: "INSERT INTO tv_seasons (season_id, key, show_id, season_number, episode_count) VALUES",
    columns: 4,
    constants: ", 0",
    tail: "ON CONFLICT (key) DO UPDATE SET show_id = excluded.show_id, season_number = excluded.season_number \
           RETURNING season_id, key",
};

/// The last extracted file determines the metadata of the episode.
pub(super) static EPISODES: Bulk = Bulk {
    head: "INSERT INTO tv_episodes (episode_id, key, show_id, season_id, episode_number, episode_number_end, \
           absolute_number, air_date, title, sort_title, overview, people, external_ids, source_count, dirty) \
           VALUES",
    columns: 13,
    constants: ", 0, TRUE",
    tail: "ON CONFLICT (key) DO UPDATE SET show_id = excluded.show_id, season_id = excluded.season_id, \
           episode_number = excluded.episode_number, episode_number_end = excluded.episode_number_end, \
           absolute_number = excluded.absolute_number, air_date = excluded.air_date, title = excluded.title, \
           sort_title = excluded.sort_title, overview = excluded.overview, people = excluded.people, \
           external_ids = excluded.external_ids, dirty = TRUE RETURNING episode_id, key",
};

pub(super) static VIDEO_SOURCES: Bulk = Bulk {
    head: "INSERT INTO video_sources (source_id, movie_id, episode_id, edition, part, container, bitrate, \
           duration_ms, width, height, streams, chapters, subtitles, artwork, name_pattern, name_confidence) \
           VALUES",
    columns: 16,
    constants: "",
    tail: "ON CONFLICT (source_id) DO UPDATE SET movie_id = excluded.movie_id, episode_id = \
           excluded.episode_id, edition = excluded.edition, part = excluded.part, container = \
           excluded.container, bitrate = excluded.bitrate, duration_ms = excluded.duration_ms, width = \
           excluded.width, height = excluded.height, streams = excluded.streams, chapters = excluded.chapters, \
           subtitles = excluded.subtitles, artwork = excluded.artwork, name_pattern = excluded.name_pattern, \
           name_confidence = excluded.name_confidence",
};

pub(super) static MOVIE_GENRES: Bulk = Bulk {
    head: "INSERT INTO movie_genres (movie_id, key) VALUES",
    columns: 2,
    constants: "",
    tail: "",
};

pub(super) static SHOW_GENRES: Bulk = Bulk {
    head: "INSERT INTO tv_show_genres (show_id, key) VALUES",
    columns: 2,
    constants: "",
    tail: "",
};

/// An item that is a file.
pub(super) static FILE_ITEMS: Bulk = Bulk {
    head: "INSERT INTO items (item_id, kind_ref, title, sort_title, duration_ms, page_count, part_count, dirty) VALUES",
    columns: 6,
    constants: ", 1, FALSE",
    tail: "ON CONFLICT (item_id) DO UPDATE SET kind_ref = excluded.kind_ref, group_key = NULL, \
           title = excluded.title, sort_title = excluded.sort_title, duration_ms = excluded.duration_ms, \
           page_count = excluded.page_count, part_count = 1, fields = NULL, dirty = FALSE",
};

/// A group of files; what it contains is recomputed from its files.
pub(super) static GROUP_ITEMS: Bulk = Bulk {
    head: "INSERT INTO items (item_id, kind_ref, group_key, title, sort_title, duration_ms, page_count, fields, \
           part_count, dirty) VALUES",
    columns: 8,
    constants: ", 1, TRUE",
    tail: "ON CONFLICT (kind_ref, group_key) WHERE group_key IS NOT NULL DO UPDATE SET dirty = TRUE \
           RETURNING item_id, kind_ref, group_key",
};

pub(super) static ITEM_FILES: Bulk = Bulk {
    head: "INSERT INTO item_files (file_id, item_id, part_order, picture_index, picture_offset, picture_length, \
           picture_mime, record) VALUES",
    columns: 8,
    constants: "",
    tail: "ON CONFLICT (file_id) DO UPDATE SET item_id = excluded.item_id, part_order = excluded.part_order, \
           picture_index = excluded.picture_index, picture_offset = excluded.picture_offset, \
           picture_length = excluded.picture_length, picture_mime = excluded.picture_mime, record = excluded.record",
};

pub(super) static ITEM_VALUES: Bulk = Bulk {
    head: "INSERT INTO item_values (item_id, field_ref, position, value, label) VALUES",
    columns: 5,
    constants: "",
    tail: "",
};
