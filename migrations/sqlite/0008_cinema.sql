-- Columns and tables for lists of movies and shows: order by release date, filter by genre, artwork of shows and
-- seasons.

CREATE INDEX movies_by_released_on ON movies (released_on);

-- Genres by their folded names, for filters of lists. The item's own row has the names for display.
CREATE TABLE movie_genres (
    movie_id BIGINT NOT NULL REFERENCES movies (movie_id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    PRIMARY KEY (movie_id, key)
) WITHOUT ROWID;
CREATE INDEX movie_genres_by_key ON movie_genres (key, movie_id);
CREATE TABLE tv_show_genres (
    show_id BIGINT NOT NULL REFERENCES tv_shows (show_id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    PRIMARY KEY (show_id, key)
) WITHOUT ROWID;
CREATE INDEX tv_show_genres_by_key ON tv_show_genres (key, show_id);

ALTER TABLE tv_shows ADD COLUMN has_artwork BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE tv_seasons ADD COLUMN has_artwork BOOLEAN NOT NULL DEFAULT FALSE;
