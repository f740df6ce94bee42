-- Accounts, directories, files and runs.

CREATE TABLE server (
    singleton SMALLINT NOT NULL PRIMARY KEY CHECK (singleton = 1),
    instance_id TEXT NOT NULL,
    server_name TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- Node numbers, by which the ids of several servers on this database differ: the holder of each, and the end of its
-- lease.
CREATE TABLE id_nodes (
    node BIGINT PRIMARY KEY,
    holder TEXT COLLATE "C" NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE TABLE users (
    user_id BIGINT PRIMARY KEY,
    username TEXT NOT NULL,
    username_key TEXT COLLATE "C" NOT NULL,
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
    role TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, role)
);

CREATE TABLE directories (
    directory_id BIGINT PRIMARY KEY,
    media_kind TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    available BOOLEAN NOT NULL,
    last_seen_at BIGINT,
    configured BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX directories_by_path ON directories (media_kind, path);

CREATE TABLE folders (
    folder_id BIGINT PRIMARY KEY,
    directory_id BIGINT NOT NULL REFERENCES directories (directory_id) ON DELETE CASCADE,
    path TEXT COLLATE "C" NOT NULL,
    stamp BYTEA,
    file_count BIGINT NOT NULL
);
CREATE UNIQUE INDEX folders_by_path ON folders (directory_id, md5(path));

-- Plugin versions that have read files; `files` refers to them by a small number.
CREATE TABLE plugins_seen (
    plugin_ref BIGINT PRIMARY KEY,
    plugin_id TEXT COLLATE "C" NOT NULL,
    version TEXT COLLATE "C" NOT NULL,
    digest TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX plugins_seen_by_digest ON plugins_seen (plugin_id, version, digest);

CREATE TABLE files (
    file_id BIGINT PRIMARY KEY,
    folder_id BIGINT NOT NULL REFERENCES folders (folder_id) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
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
    run_id BIGINT PRIMARY KEY,
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
    run_log_id BIGINT PRIMARY KEY,
    run_id BIGINT NOT NULL REFERENCES runs (run_id) ON DELETE CASCADE,
    event TEXT NOT NULL,
    media_kind TEXT COLLATE "C" NOT NULL,
    path TEXT COLLATE "C" NOT NULL,
    plugin TEXT,
    reason TEXT
);
CREATE INDEX run_logs_by_run ON run_logs (run_id, run_log_id);
