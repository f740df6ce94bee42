-- What administrators decided about plugins, and the plugins that they uploaded.

-- The digests are those of uploaded versions: the one in use, the one before it, and one that waits for consent.
CREATE TABLE plugins (
    plugin_id TEXT PRIMARY KEY,
    is_enabled BOOLEAN NOT NULL,
    granted TEXT NOT NULL,
    settings TEXT NOT NULL,
    current_digest TEXT,
    previous_digest TEXT,
    previous_granted TEXT NOT NULL,
    candidate_digest TEXT
) WITHOUT ROWID;

CREATE TABLE plugin_components (
    digest TEXT PRIMARY KEY,
    plugin_id TEXT NOT NULL REFERENCES plugins (plugin_id) ON DELETE CASCADE,
    version TEXT NOT NULL,
    signed_by TEXT,
    uploaded_at BIGINT NOT NULL,
    component BLOB NOT NULL
);
CREATE INDEX plugin_components_by_plugin ON plugin_components (plugin_id);

-- Digest of the code of a plugin that has read files, without its settings.
ALTER TABLE plugins_seen ADD COLUMN component TEXT NOT NULL DEFAULT '';

-- Versions of uploaded plugins whose readings are kept: for a rollback, those of the version before the one in use.
CREATE TABLE kept_versions (
    version_ref INTEGER PRIMARY KEY,
    plugin_id TEXT NOT NULL,
    digest TEXT NOT NULL,
    component TEXT NOT NULL
);
CREATE UNIQUE INDEX kept_versions_by_digest ON kept_versions (plugin_id, digest);

-- What such a version read from a file that another version has read since: the columns of `files`, `item_files` and,
-- if the file was in a group, the item. Without a record, it is the one in `item_files`.
CREATE TABLE kept_readings (
    file_id INTEGER PRIMARY KEY REFERENCES files (file_id) ON DELETE CASCADE,
    version_ref BIGINT NOT NULL REFERENCES kept_versions (version_ref),
    size BIGINT NOT NULL,
    mtime_ns BIGINT NOT NULL,
    related_stamp BIGINT,
    record_digest BIGINT NOT NULL,
    group_id BIGINT,
    picture_index INTEGER,
    picture_offset BIGINT,
    picture_length BIGINT,
    record TEXT
);
CREATE INDEX kept_readings_by_version ON kept_readings (version_ref);
CREATE INDEX kept_readings_by_group ON kept_readings (group_id) WHERE group_id IS NOT NULL;
