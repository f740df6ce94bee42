-- What administrators decided about plugins, and the plugins that they uploaded.

-- The digests are those of uploaded versions: the one in use, the one before it, and one that waits for consent.
CREATE TABLE plugins (
    plugin_id TEXT PRIMARY KEY,
    is_enabled BOOLEAN NOT NULL,
    granted TEXT NOT NULL,
    settings TEXT NOT NULL,
    current_digest TEXT,
    previous_digest TEXT,
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
