-- Kinds that plugins define, and their items.

-- A kind stays known when its plugin is gone, so that its items come back with it.
CREATE TABLE kinds (
    kind_ref BIGINT PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL,
    plugin_id TEXT COLLATE "C" NOT NULL,
    plugin_version TEXT COLLATE "C" NOT NULL,
    schema TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX kinds_by_name ON kinds (kind);

-- A declared field for one use; see `ValueUse`.
CREATE TABLE kind_fields (
    field_ref SMALLINT PRIMARY KEY,
    kind_ref BIGINT NOT NULL REFERENCES kinds (kind_ref),
    key TEXT COLLATE "C" NOT NULL,
    used_for SMALLINT NOT NULL
);
CREATE UNIQUE INDEX kind_fields_by_key ON kind_fields (kind_ref, key, used_for);

-- An item without a group key is a file, and has its id. `fields` are those of a group; a file's are in its record.
CREATE TABLE items (
    item_id BIGINT PRIMARY KEY,
    kind_ref BIGINT NOT NULL REFERENCES kinds (kind_ref),
    group_key TEXT COLLATE "C",
    title TEXT COLLATE "C" NOT NULL,
    sort_title TEXT COLLATE "C" NOT NULL,
    duration_ms BIGINT,
    page_count BIGINT,
    part_count BIGINT NOT NULL,
    fields TEXT COLLATE "C",
    dirty BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX items_by_group ON items (kind_ref, group_key) WHERE group_key IS NOT NULL;
CREATE INDEX items_by_title ON items (kind_ref, sort_title, item_id);
CREATE INDEX items_by_kind ON items (kind_ref, item_id);
CREATE INDEX items_dirty ON items (dirty) WHERE dirty;

CREATE TABLE item_files (
    file_id BIGINT PRIMARY KEY REFERENCES files (file_id) ON DELETE CASCADE,
    item_id BIGINT NOT NULL REFERENCES items (item_id),
    part_order TEXT COLLATE "C" NOT NULL,
    picture_index INTEGER,
    picture_offset BIGINT,
    picture_length BIGINT,
    picture_mime TEXT COLLATE "C",
    record TEXT COLLATE "C" NOT NULL
);
CREATE INDEX item_files_by_item ON item_files (item_id);

-- Values of declared fields as texts in the order of the values. An item without a value of a field that orders
-- lists has a row without a value.
CREATE TABLE item_values (
    item_id BIGINT NOT NULL REFERENCES items (item_id) ON DELETE CASCADE,
    field_ref SMALLINT NOT NULL,
    position SMALLINT NOT NULL,
    value TEXT COLLATE "C",
    label TEXT COLLATE "C",
    PRIMARY KEY (item_id, field_ref, position)
);
CREATE INDEX item_values_by_value ON item_values (field_ref, value, item_id);

CREATE TABLE search_items (
    item_id BIGINT PRIMARY KEY,
    words TSVECTOR NOT NULL
);
CREATE INDEX search_items_by_words ON search_items USING gin (words);
