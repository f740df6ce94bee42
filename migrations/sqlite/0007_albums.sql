-- Photo albums, corrections of photos, and two columns by which photos are ordered and counted.

ALTER TABLE photos ADD COLUMN size BIGINT NOT NULL DEFAULT 0;
-- The day in local time, counted from 1970.
ALTER TABLE photos ADD COLUMN taken_day INTEGER NOT NULL DEFAULT 0;
-- The offset makes the dividend positive: integer division rounds towards zero, which would be up before 1970.
UPDATE photos SET size = (SELECT f.size FROM files f WHERE f.file_id = photo_id),
    taken_day = (taken_at + 62208000000000) / 86400000 - 720000;
CREATE INDEX photos_by_size ON photos (size);
CREATE INDEX photos_by_taken_day ON photos (taken_day, taken_at);

-- Corrections by users, and the values of the file (`own_*`); `photos` holds the effective values. References the file,
-- so that corrections survive while the photo cannot be read.
CREATE TABLE photo_edits (
    photo_id INTEGER PRIMARY KEY REFERENCES files (file_id) ON DELETE CASCADE,
    taken_at BIGINT,
    utc_offset_minutes SMALLINT,
    latitude DOUBLE PRECISION,
    longitude DOUBLE PRECISION,
    altitude DOUBLE PRECISION,
    description TEXT,
    own_taken_at BIGINT NOT NULL,
    own_utc_offset_minutes SMALLINT,
    own_latitude DOUBLE PRECISION,
    own_longitude DOUBLE PRECISION,
    own_altitude DOUBLE PRECISION
);

CREATE TABLE photo_albums (
    album_id INTEGER PRIMARY KEY,
    owner_user_id BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    sort_name TEXT NOT NULL,
    description TEXT,
    everyone BOOLEAN NOT NULL,
    cover_photo_id BIGINT REFERENCES files (file_id) ON DELETE SET NULL,
    modified_at BIGINT NOT NULL
);
CREATE INDEX photo_albums_by_owner ON photo_albums (owner_user_id);
CREATE INDEX photo_albums_by_name ON photo_albums (sort_name);
CREATE INDEX photo_albums_by_modified_at ON photo_albums (modified_at);
CREATE INDEX photo_albums_by_cover ON photo_albums (cover_photo_id);

CREATE TABLE photo_album_shares (
    album_id BIGINT NOT NULL REFERENCES photo_albums (album_id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    PRIMARY KEY (album_id, user_id)
) WITHOUT ROWID;
CREATE INDEX photo_album_shares_by_user ON photo_album_shares (user_id);

CREATE TABLE photo_album_photos (
    album_id BIGINT NOT NULL REFERENCES photo_albums (album_id) ON DELETE CASCADE,
    photo_id BIGINT NOT NULL REFERENCES files (file_id) ON DELETE CASCADE,
    position BIGINT NOT NULL,
    PRIMARY KEY (album_id, photo_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX photo_album_photos_by_position ON photo_album_photos (album_id, position);
CREATE INDEX photo_album_photos_by_photo ON photo_album_photos (photo_id);
