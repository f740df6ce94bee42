-- What administrators decided about plugins, and the plugins that they uploaded.

-- The digests are those of uploaded versions: the one in use, the one before it, and one that waits for consent.
CREATE TABLE plugins (
    plugin_id TEXT COLLATE "C" PRIMARY KEY,
    is_enabled BOOLEAN NOT NULL,
    granted TEXT COLLATE "C" NOT NULL,
    settings TEXT COLLATE "C" NOT NULL,
    current_digest TEXT COLLATE "C",
    previous_digest TEXT COLLATE "C",
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
