-- Playback queues. Positions (`place`) have gaps, so that moving an item changes one row. An entry stays when its item
-- is missing or purged, because the order belongs to the user.

CREATE TABLE playback_queues (
    queue_id BIGINT PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    queue_type SMALLINT NOT NULL,
    seed TEXT NOT NULL,
    seeds TEXT NOT NULL,
    revision BIGINT NOT NULL,
    cursor_item_id BIGINT,
    cursor_ms BIGINT NOT NULL,
    draw_round BIGINT NOT NULL,
    drawn_place BIGINT,
    drawn_id BIGINT,
    created_at BIGINT NOT NULL,
    modified_at BIGINT NOT NULL
);
CREATE INDEX playback_queues_by_user ON playback_queues (user_id, modified_at, queue_id);

CREATE TABLE playback_queue_items (
    queue_item_id BIGINT PRIMARY KEY,
    queue_id BIGINT NOT NULL REFERENCES playback_queues (queue_id) ON DELETE CASCADE,
    place BIGINT NOT NULL,
    item_type SMALLINT NOT NULL,
    item_id BIGINT NOT NULL
);
CREATE INDEX playback_queue_items_by_place ON playback_queue_items (queue_id, place, queue_item_id);
