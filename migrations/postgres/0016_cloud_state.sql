-- What plugins of the cloud remember between calls.

-- Values are sealed with a key of the data directory. Sizes are those of key and value before that, in bytes.
CREATE TABLE plugin_state (
    plugin_id TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    sealed_value BYTEA NOT NULL,
    size BIGINT NOT NULL,
    PRIMARY KEY (plugin_id, key)
);
