-- What administrators decided about plugins, and the plugins that they uploaded.

-- The digests are those of uploaded versions: the one in use, the one before it, and one that waits for consent.
CREATE TABLE plugins (
    plugin_id TEXT COLLATE "C" PRIMARY KEY,
    is_enabled BOOLEAN NOT NULL,
    granted TEXT COLLATE "C" NOT NULL,
    settings TEXT COLLATE "C" NOT NULL,
    current_digest TEXT COLLATE "C",
    previous_digest TEXT COLLATE "C",
    previous_granted TEXT COLLATE "C" NOT NULL,
    candidate_digest TEXT COLLATE "C"
);

CREATE TABLE plugin_components (
    digest TEXT COLLATE "C" PRIMARY KEY,
    plugin_id TEXT COLLATE "C" NOT NULL REFERENCES plugins (plugin_id) ON DELETE CASCADE,
    version TEXT COLLATE "C" NOT NULL,
    signed_by TEXT COLLATE "C",
    uploaded_at BIGINT NOT NULL,
    component BYTEA NOT NULL
);
CREATE INDEX plugin_components_by_plugin ON plugin_components (plugin_id);

-- Digest of the code of a plugin that has read files, without its settings.
ALTER TABLE plugins_seen ADD COLUMN component TEXT COLLATE "C" NOT NULL DEFAULT '';

-- Versions of uploaded plugins whose readings are kept: for a rollback, those of the version before the one in use.
CREATE TABLE kept_versions (
    version_ref BIGINT PRIMARY KEY,
    plugin_id TEXT COLLATE "C" NOT NULL,
    digest TEXT COLLATE "C" NOT NULL,
    component TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX kept_versions_by_digest ON kept_versions (plugin_id, digest);

-- What such a version read from a file that another version has read since: the columns of `files`, `item_files` and,
-- if the file was in a group, the item. Without a record, it is the one in `item_files`.
CREATE TABLE kept_readings (
    file_id BIGINT PRIMARY KEY REFERENCES files (file_id) ON DELETE CASCADE,
    version_ref BIGINT NOT NULL REFERENCES kept_versions (version_ref),
    size BIGINT NOT NULL,
    mtime_ns BIGINT NOT NULL,
    related_stamp BIGINT,
    record_digest BIGINT NOT NULL,
    group_id BIGINT,
    picture_index INTEGER,
    picture_offset BIGINT,
    picture_length BIGINT,
    record TEXT COLLATE "C"
);
CREATE INDEX kept_readings_by_version ON kept_readings (version_ref);
CREATE INDEX kept_readings_by_group ON kept_readings (group_id) WHERE group_id IS NOT NULL;
