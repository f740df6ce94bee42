-- The whole database of the cloud. Times are milliseconds since 1970; secrets are stored as SHA-256.
CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    username TEXT NOT NULL UNIQUE COLLATE NOCASE,
    display_name TEXT,
    email TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    enabled INTEGER NOT NULL DEFAULT 1,
    may_invite INTEGER NOT NULL DEFAULT 1,
    takes_invitations INTEGER NOT NULL DEFAULT 1,
    -- JSON array of texts.
    groups TEXT NOT NULL DEFAULT '[]',
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
    token_hash BLOB PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts,
    -- 'token': of the API; 'page': the cookie of the pages. Neither is accepted for the other.
    purpose TEXT NOT NULL CHECK (purpose IN ('token', 'page')),
    -- The only installation that accepts the token; all if NULL.
    audience TEXT,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_account ON sessions (account_id);

CREATE TABLE servers (
    id INTEGER PRIMARY KEY,
    owner_id TEXT NOT NULL REFERENCES accounts,
    instance_id TEXT NOT NULL,
    name TEXT NOT NULL,
    tier TEXT NOT NULL,
    -- Unlimited if NULL.
    seats INTEGER,
    subscription_ends_at INTEGER,
    UNIQUE (owner_id, instance_id)
) STRICT;

CREATE TABLE credentials (
    id INTEGER PRIMARY KEY,
    credential_hash BLOB NOT NULL UNIQUE,
    server_id INTEGER NOT NULL REFERENCES servers
) STRICT;
CREATE INDEX credentials_by_server ON credentials (server_id);

CREATE TABLE invitations (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    server_id INTEGER NOT NULL REFERENCES servers,
    inviter_id TEXT NOT NULL REFERENCES accounts,
    role TEXT NOT NULL,
    -- The invited account; anyone with the shortcode if NULL.
    target_id TEXT REFERENCES accounts,
    -- Of the shortcode, or of the code of the approval link.
    code_hash BLOB NOT NULL UNIQUE,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    holder_id TEXT REFERENCES accounts,
    bound_at INTEGER,
    claimed_at INTEGER,
    revoked_at INTEGER,
    CHECK ((holder_id IS NULL) = (bound_at IS NULL)),
    CHECK (claimed_at IS NULL OR holder_id IS NOT NULL),
    CHECK (claimed_at IS NULL OR revoked_at IS NULL)
) STRICT;
CREATE INDEX invitations_by_inviter ON invitations (inviter_id, created_at);
CREATE INDEX invitations_by_holder ON invitations (holder_id, server_id);
CREATE INDEX invitations_by_target ON invitations (target_id, created_at);

CREATE TABLE release_channels (
    id TEXT PRIMARY KEY,
    description TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE releases (
    channel_id TEXT NOT NULL REFERENCES release_channels,
    version TEXT NOT NULL,
    released_at INTEGER NOT NULL,
    key TEXT NOT NULL,
    signature TEXT NOT NULL,
    PRIMARY KEY (channel_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE release_keys (
    number INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    signed_by TEXT,
    signature TEXT
) STRICT;
