-- Movies and shows, fingerprints of moved files, sidecars, libraries with grants, the change feed.

-- The fingerprint, by which a moved file is recognised: six bytes of a digest over size, head, middle and tail.
ALTER TABLE files ADD COLUMN fingerprint BIGINT;
-- Digest over names, sizes and modification times of the file's sidecars.
ALTER TABLE files ADD COLUMN related_stamp BIGINT;
CREATE INDEX files_by_fingerprint ON files (fingerprint) WHERE fingerprint IS NOT NULL;
CREATE INDEX files_by_missing_since ON files (missing_since) WHERE missing_since IS NOT NULL;

-- Schema version of the stored records: files with an older one are read again, as with an older plugin.
ALTER TABLE plugins_seen ADD COLUMN record_schema INTEGER NOT NULL DEFAULT 1;
DROP INDEX plugins_seen_by_digest;
CREATE UNIQUE INDEX plugins_seen_by_digest ON plugins_seen (plugin_id, version, digest, record_schema);

ALTER TABLE runs ADD COLUMN options TEXT NOT NULL DEFAULT '{}';
ALTER TABLE run_logs ADD COLUMN diff TEXT;

-- A folder's access class is the set of libraries it is in; 0 is none. Most folders share few classes, so a list is
-- restricted by comparing one number.
ALTER TABLE folders ADD COLUMN access_class BIGINT NOT NULL DEFAULT 0;
CREATE TABLE access_classes (
    access_class INTEGER PRIMARY KEY,
    libraries TEXT NOT NULL
);
CREATE UNIQUE INDEX access_classes_by_libraries ON access_classes (libraries);

-- Stays true when the last user with a grant is deleted: a restricted library must not become open to all.
ALTER TABLE libraries ADD COLUMN restricted BOOLEAN NOT NULL DEFAULT FALSE;
CREATE TABLE library_user_grants (
    library_id BIGINT NOT NULL REFERENCES libraries (library_id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    PRIMARY KEY (library_id, user_id)
) WITHOUT ROWID;
CREATE TABLE library_role_grants (
    library_id BIGINT NOT NULL REFERENCES libraries (library_id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    PRIMARY KEY (library_id, role)
) WITHOUT ROWID;

-- Lists of texts, people, ids and pictures are JSON: they are shown, not searched.
CREATE TABLE movies (
    movie_id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    title TEXT NOT NULL,
    sort_title TEXT NOT NULL,
    original_title TEXT,
    year INTEGER,
    released_on TEXT,
    runtime_ms BIGINT,
    overview TEXT,
    tagline TEXT,
    content_rating TEXT,
    collection TEXT,
    genres TEXT NOT NULL,
    studios TEXT NOT NULL,
    people TEXT NOT NULL,
    external_ids TEXT NOT NULL,
    source_count BIGINT NOT NULL,
    dirty BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX movies_by_key ON movies (key);
CREATE INDEX movies_by_title ON movies (sort_title);
CREATE INDEX movies_by_year ON movies (year);
CREATE INDEX movies_by_runtime ON movies (runtime_ms);
CREATE INDEX movies_dirty ON movies (dirty) WHERE dirty;

CREATE TABLE tv_shows (
    show_id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    title TEXT NOT NULL,
    sort_title TEXT NOT NULL,
    year INTEGER,
    overview TEXT,
    content_rating TEXT,
    genres TEXT NOT NULL,
    external_ids TEXT NOT NULL,
    season_count BIGINT NOT NULL,
    episode_count BIGINT NOT NULL,
    dirty BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX tv_shows_by_key ON tv_shows (key);
CREATE INDEX tv_shows_by_title ON tv_shows (sort_title);
CREATE INDEX tv_shows_by_year ON tv_shows (year);
CREATE INDEX tv_shows_dirty ON tv_shows (dirty) WHERE dirty;

-- Specials are season 0; episodes of no known season have a season without a number.
CREATE TABLE tv_seasons (
    season_id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    show_id BIGINT NOT NULL REFERENCES tv_shows (show_id),
    season_number INTEGER,
    episode_count BIGINT NOT NULL
);
CREATE UNIQUE INDEX tv_seasons_by_key ON tv_seasons (key);
CREATE INDEX tv_seasons_by_show ON tv_seasons (show_id, season_number);

CREATE TABLE tv_episodes (
    episode_id INTEGER PRIMARY KEY,
    key TEXT NOT NULL,
    show_id BIGINT NOT NULL REFERENCES tv_shows (show_id),
    season_id BIGINT NOT NULL REFERENCES tv_seasons (season_id),
    episode_number INTEGER,
    episode_number_end INTEGER,
    absolute_number INTEGER,
    air_date TEXT,
    title TEXT NOT NULL,
    sort_title TEXT NOT NULL,
    overview TEXT,
    runtime_ms BIGINT,
    people TEXT NOT NULL,
    external_ids TEXT NOT NULL,
    source_count BIGINT NOT NULL,
    dirty BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX tv_episodes_by_key ON tv_episodes (key);
CREATE INDEX tv_episodes_by_show ON tv_episodes (show_id);
CREATE INDEX tv_episodes_by_season ON tv_episodes (season_id, episode_number);
CREATE INDEX tv_episodes_by_title ON tv_episodes (sort_title);
CREATE INDEX tv_episodes_by_air_date ON tv_episodes (air_date);
CREATE INDEX tv_episodes_dirty ON tv_episodes (dirty) WHERE dirty;

-- A video file: a source of one movie or of one episode.
CREATE TABLE video_sources (
    source_id INTEGER PRIMARY KEY REFERENCES files (file_id) ON DELETE CASCADE,
    movie_id BIGINT REFERENCES movies (movie_id),
    episode_id BIGINT REFERENCES tv_episodes (episode_id),
    edition TEXT,
    part INTEGER,
    container TEXT,
    bitrate BIGINT,
    duration_ms BIGINT,
    width INTEGER,
    height INTEGER,
    streams TEXT NOT NULL,
    chapters TEXT NOT NULL,
    subtitles TEXT NOT NULL,
    artwork TEXT NOT NULL,
    name_pattern TEXT,
    name_confidence DOUBLE PRECISION
);
CREATE INDEX video_sources_by_movie ON video_sources (movie_id) WHERE movie_id IS NOT NULL;
CREATE INDEX video_sources_by_episode ON video_sources (episode_id) WHERE episode_id IS NOT NULL;

CREATE VIRTUAL TABLE search_movies USING fts5 (words, content='', contentless_delete=1, detail=none, prefix='1 2 3 4', tokenize='ascii');
CREATE VIRTUAL TABLE search_shows USING fts5 (words, content='', contentless_delete=1, detail=none, prefix='1 2 3 4', tokenize='ascii');
CREATE VIRTUAL TABLE search_episodes USING fts5 (words, content='', contentless_delete=1, detail=none, prefix='1 2 3 4', tokenize='ascii');

-- The change feed: items that were added, changed or went missing, by type, for clients that synchronize. The oldest
-- entries are dropped.
CREATE TABLE changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    change SMALLINT NOT NULL,
    item_id BIGINT NOT NULL,
    at BIGINT NOT NULL
);
