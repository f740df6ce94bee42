-- What plugins of the cloud remember between calls.

-- Values are sealed with a key of the data directory. Sizes are those of key and value before that, in bytes.
CREATE TABLE plugin_state (
    plugin_id TEXT NOT NULL,
    key TEXT NOT NULL,
    sealed_value BLOB NOT NULL,
    size BIGINT NOT NULL,
    PRIMARY KEY (plugin_id, key)
) WITHOUT ROWID;
