-- Music, photos and the search index. A track and a photo have the id of their file.

CREATE TABLE music_releases (
    release_id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    title TEXT NOT NULL,
    sort_title TEXT NOT NULL,
    release_type TEXT,
    year INTEGER,
    original_year INTEGER,
    mb_release_id TEXT,
    mb_release_group_id TEXT,
    artwork_track_id BIGINT,
    track_count BIGINT NOT NULL,
    disc_count BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    dirty BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX music_releases_by_key ON music_releases (key);
CREATE INDEX music_releases_by_title ON music_releases (sort_title);
CREATE INDEX music_releases_by_year ON music_releases (year);
CREATE INDEX music_releases_dirty ON music_releases (dirty) WHERE dirty;

CREATE TABLE music_artists (
    artist_id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    sort_name TEXT NOT NULL,
    mb_artist_id TEXT,
    release_count BIGINT NOT NULL,
    track_count BIGINT NOT NULL,
    dirty BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX music_artists_by_key ON music_artists (key);
CREATE INDEX music_artists_by_name ON music_artists (sort_name);
CREATE INDEX music_artists_dirty ON music_artists (dirty) WHERE dirty;

CREATE TABLE music_genres (
    genre_id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    name TEXT NOT NULL,
    track_count BIGINT NOT NULL,
    dirty BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX music_genres_by_key ON music_genres (key);
CREATE INDEX music_genres_dirty ON music_genres (dirty) WHERE dirty;

-- Gains are thousandths of a dB, peaks hundred-millionths of full scale.
CREATE TABLE music_tracks (
    track_id INTEGER PRIMARY KEY REFERENCES files (file_id) ON DELETE CASCADE,
    release_id BIGINT REFERENCES music_releases (release_id),
    title TEXT NOT NULL,
    sort_title TEXT NOT NULL,
    track_number INTEGER,
    disc_number INTEGER,
    duration_ms BIGINT,
    bitrate INTEGER,
    sample_rate INTEGER,
    bit_depth INTEGER,
    channels INTEGER,
    codec TEXT,
    year INTEGER,
    isrc TEXT,
    mb_recording_id TEXT,
    track_gain INTEGER,
    track_peak BIGINT,
    album_gain INTEGER,
    album_peak BIGINT,
    picture_index INTEGER,
    picture_offset BIGINT,
    picture_length BIGINT,
    picture_mime TEXT
);
CREATE INDEX music_tracks_by_release ON music_tracks (release_id);
CREATE INDEX music_tracks_by_title ON music_tracks (sort_title);
CREATE INDEX music_tracks_by_year ON music_tracks (year);
CREATE INDEX music_tracks_by_duration ON music_tracks (duration_ms);

CREATE TABLE track_artists (
    track_id BIGINT NOT NULL REFERENCES music_tracks (track_id) ON DELETE CASCADE,
    position SMALLINT NOT NULL,
    artist_id BIGINT NOT NULL REFERENCES music_artists (artist_id),
    role SMALLINT NOT NULL,
    PRIMARY KEY (track_id, position)
) WITHOUT ROWID;
CREATE INDEX track_artists_by_artist ON track_artists (artist_id, track_id);

CREATE TABLE release_artists (
    release_id BIGINT NOT NULL REFERENCES music_releases (release_id) ON DELETE CASCADE,
    position SMALLINT NOT NULL,
    artist_id BIGINT NOT NULL REFERENCES music_artists (artist_id),
    role SMALLINT NOT NULL,
    PRIMARY KEY (release_id, position)
) WITHOUT ROWID;
CREATE INDEX release_artists_by_artist ON release_artists (artist_id, release_id);

CREATE TABLE track_genres (
    track_id BIGINT NOT NULL REFERENCES music_tracks (track_id) ON DELETE CASCADE,
    position SMALLINT NOT NULL,
    genre_id BIGINT NOT NULL REFERENCES music_genres (genre_id),
    PRIMARY KEY (track_id, position)
) WITHOUT ROWID;
CREATE INDEX track_genres_by_genre ON track_genres (genre_id, track_id);

CREATE TABLE photos (
    photo_id INTEGER PRIMARY KEY REFERENCES files (file_id) ON DELETE CASCADE,
    taken_at BIGINT NOT NULL,
    taken_at_source SMALLINT NOT NULL,
    utc_offset_minutes SMALLINT,
    modified_at BIGINT NOT NULL,
    width INTEGER,
    height INTEGER,
    orientation SMALLINT,
    mime_type TEXT,
    make TEXT,
    model TEXT,
    lens TEXT,
    iso INTEGER,
    aperture DOUBLE PRECISION,
    exposure_numerator BIGINT,
    exposure_denominator BIGINT,
    focal_length DOUBLE PRECISION,
    latitude DOUBLE PRECISION,
    longitude DOUBLE PRECISION,
    altitude DOUBLE PRECISION,
    rating SMALLINT
);
CREATE INDEX photos_by_taken_at ON photos (taken_at);
CREATE INDEX photos_by_modified_at ON photos (modified_at);
CREATE INDEX photos_by_width ON photos (width);
CREATE INDEX photos_by_height ON photos (height);

-- Words are folded and separated by spaces before they are stored, so the simplest tokenizer suffices. Queries only
-- search for words with a prefix, so neither texts nor positions are stored. The rowid is the item's id.
CREATE VIRTUAL TABLE search_tracks USING fts5 (words, content='', contentless_delete=1, detail=none, prefix='1 2 3 4', tokenize='ascii');
CREATE VIRTUAL TABLE search_releases USING fts5 (words, content='', contentless_delete=1, detail=none, prefix='1 2 3 4', tokenize='ascii');
CREATE VIRTUAL TABLE search_artists USING fts5 (words, content='', contentless_delete=1, detail=none, prefix='1 2 3 4', tokenize='ascii');
CREATE VIRTUAL TABLE search_photos USING fts5 (words, content='', contentless_delete=1, detail=none, prefix='1 2 3 4', tokenize='ascii');
