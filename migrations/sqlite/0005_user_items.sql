-- User data of items: playback and rating. One row per item and user, so that a list of items needs one query. Rows
-- survive while the item is missing, and are deleted when it is purged.

CREATE TABLE user_items (
    user_id BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    item_type SMALLINT NOT NULL,
    item_id BIGINT NOT NULL,
    played_at BIGINT,
    state SMALLINT NOT NULL DEFAULT 2,
    position_ms BIGINT NOT NULL DEFAULT 0,
    listened_ms BIGINT NOT NULL DEFAULT 0,
    counted BOOLEAN NOT NULL DEFAULT FALSE,
    finished BOOLEAN NOT NULL DEFAULT FALSE,
    resumable BOOLEAN NOT NULL DEFAULT FALSE,
    watched BOOLEAN NOT NULL DEFAULT FALSE,
    play_count BIGINT NOT NULL DEFAULT 0,
    rating DOUBLE PRECISION,
    rated_at BIGINT,
    PRIMARY KEY (user_id, item_type, item_id)
) WITHOUT ROWID;
CREATE INDEX user_items_by_played_at ON user_items (user_id, played_at, item_type, item_id) WHERE played_at IS NOT NULL;
CREATE INDEX user_items_by_rated_at ON user_items (user_id, rated_at, item_type, item_id) WHERE rated_at IS NOT NULL;
CREATE INDEX user_items_resumable ON user_items (user_id, played_at, item_type, item_id) WHERE resumable;
CREATE INDEX user_items_by_item ON user_items (item_type, item_id);
