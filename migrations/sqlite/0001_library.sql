-- Accounts, directories, files and runs.

-- "svc1"
PRAGMA application_id = 1937138481;

CREATE TABLE server (
    singleton SMALLINT NOT NULL PRIMARY KEY CHECK (singleton = 1),
    instance_id TEXT NOT NULL,
    server_name TEXT NOT NULL,
    created_at BIGINT NOT NULL
) WITHOUT ROWID;

-- Node numbers, by which the ids of several servers on this database differ: the holder of each, and the end of its
-- lease.
CREATE TABLE id_nodes (
    node INTEGER PRIMARY KEY,
    holder TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE TABLE users (
    user_id INTEGER PRIMARY KEY,
    username TEXT NOT NULL,
    username_key TEXT NOT NULL,
    display_name TEXT,
    password_hash TEXT,
    enabled BOOLEAN NOT NULL,
    is_owner BOOLEAN NOT NULL,
    is_guest BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    last_active_at BIGINT
);
CREATE UNIQUE INDEX users_by_username_key ON users (username_key);
CREATE UNIQUE INDEX users_one_owner ON users (is_owner) WHERE is_owner;
CREATE UNIQUE INDEX users_one_guest ON users (is_guest) WHERE is_guest;

CREATE TABLE role_assignments (
    user_id BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    role TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, role)
) WITHOUT ROWID;

CREATE TABLE directories (
    directory_id INTEGER PRIMARY KEY,
    media_kind TEXT NOT NULL,
    path TEXT NOT NULL,
    available BOOLEAN NOT NULL,
    last_seen_at BIGINT,
    configured BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX directories_by_path ON directories (media_kind, path);

CREATE TABLE folders (
    folder_id INTEGER PRIMARY KEY,
    directory_id BIGINT NOT NULL REFERENCES directories (directory_id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    stamp BLOB,
    file_count BIGINT NOT NULL
);
CREATE UNIQUE INDEX folders_by_path ON folders (directory_id, path);

-- Plugin versions that have read files; `files` refers to them by a small number.
CREATE TABLE plugins_seen (
    plugin_ref INTEGER PRIMARY KEY,
    plugin_id TEXT NOT NULL,
    version TEXT NOT NULL,
    digest TEXT NOT NULL
);
CREATE UNIQUE INDEX plugins_seen_by_digest ON plugins_seen (plugin_id, version, digest);

CREATE TABLE files (
    file_id INTEGER PRIMARY KEY,
    folder_id BIGINT NOT NULL REFERENCES folders (folder_id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    size BIGINT NOT NULL,
    mtime_ns BIGINT NOT NULL,
    status SMALLINT NOT NULL,
    plugin_ref BIGINT,
    missing_since BIGINT,
    failure_code TEXT,
    failure_reason TEXT
);
CREATE UNIQUE INDEX files_by_name ON files (folder_id, name);

CREATE TABLE runs (
    run_id INTEGER PRIMARY KEY,
    run_type TEXT NOT NULL,
    status TEXT NOT NULL,
    started_by BIGINT,
    started_at BIGINT NOT NULL,
    completed_at BIGINT,
    counts TEXT NOT NULL,
    files_opened BIGINT NOT NULL,
    seconds DOUBLE PRECISION NOT NULL,
    warnings TEXT NOT NULL
);

CREATE TABLE run_logs (
    run_log_id INTEGER PRIMARY KEY,
    run_id BIGINT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
    event TEXT NOT NULL,
    media_kind TEXT NOT NULL,
    path TEXT NOT NULL,
    plugin TEXT,
    reason TEXT
);
CREATE INDEX run_logs_by_run ON run_logs (run_id);
