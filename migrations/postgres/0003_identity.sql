-- Identity: settings, sessions, tokens, roles, web origins, the audit log.

-- Settings of the server and of accounts, as JSON. An empty app means all apps.
CREATE TABLE server_settings (
    app TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (app, key)
);
CREATE TABLE account_settings (
    user_id BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    key TEXT COLLATE "C" NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (user_id, key)
);

-- The server's name has become a setting.
INSERT INTO server_settings (app, key, value)
SELECT '', 'server_name', CAST(to_json(server_name) AS TEXT) FROM server;
ALTER TABLE server DROP COLUMN server_name;
-- The version of accounts: rises with every change of permissions. Cached principals are valid for one value of it.
ALTER TABLE server ADD COLUMN identity_revision BIGINT NOT NULL DEFAULT 0;

ALTER TABLE users ADD COLUMN cloud_account_id TEXT COLLATE "C";
CREATE UNIQUE INDEX users_by_cloud_account ON users (cloud_account_id) WHERE cloud_account_id IS NOT NULL;
CREATE INDEX users_by_creation ON users (created_at, user_id);

-- Custom roles; the built-in ones are in the program.
CREATE TABLE roles (
    role TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    capabilities TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX role_assignments_by_role ON role_assignments (role, user_id);

-- A sign-in and the refresh tokens that follow from it. An ended session is kept until its last access token has
-- ended too; a revoked one refuses even that.
CREATE TABLE sessions (
    session_id BIGINT PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    app TEXT NOT NULL,
    kind TEXT NOT NULL,
    user_agent TEXT,
    address TEXT,
    created_at BIGINT NOT NULL,
    last_active_at BIGINT NOT NULL,
    idle_expires_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    generation BIGINT NOT NULL,
    ended_at BIGINT,
    revoked BOOLEAN NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id, session_id);

-- Hashes of refresh tokens, one per generation. `salt` and `rotated_at` are set when a token has been used.
CREATE TABLE refresh_tokens (
    token_hash BYTEA NOT NULL PRIMARY KEY,
    session_id BIGINT NOT NULL REFERENCES sessions (session_id) ON DELETE CASCADE,
    generation BIGINT NOT NULL,
    rotated_at BIGINT,
    salt BYTEA
);
CREATE INDEX refresh_tokens_by_session ON refresh_tokens (session_id, generation);

CREATE TABLE personal_access_tokens (
    token_id BIGINT PRIMARY KEY,
    token_hash BYTEA NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    hint TEXT NOT NULL,
    capabilities TEXT,
    created_by BIGINT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    last_used_at BIGINT
);
CREATE UNIQUE INDEX personal_access_tokens_by_hash ON personal_access_tokens (token_hash);
CREATE INDEX personal_access_tokens_by_user ON personal_access_tokens (user_id, token_id);

-- Addresses from which an account has signed in: wrong passwords from elsewhere must not lock its owner out.
CREATE TABLE known_addresses (
    user_id BIGINT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    address TEXT COLLATE "C" NOT NULL,
    last_success_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, address)
);

CREATE TABLE cors_origins (
    cors_origin_id BIGINT PRIMARY KEY,
    origin TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX cors_origins_by_origin ON cors_origins (origin);

-- Names are copied: the log outlives the accounts. A line that is written again within a minute is counted instead.
CREATE TABLE audit (
    audit_id BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    event TEXT COLLATE "C" NOT NULL,
    actor_id BIGINT,
    actor_name TEXT,
    target_id BIGINT,
    target_name TEXT,
    address TEXT,
    details TEXT NOT NULL,
    times BIGINT NOT NULL,
    last_at BIGINT NOT NULL
);
CREATE INDEX audit_by_moment ON audit (event, at);
CREATE INDEX audit_by_event ON audit (event, audit_id);
CREATE INDEX audit_by_actor ON audit (actor_id, audit_id);
CREATE INDEX audit_by_target ON audit (target_id, audit_id);

CREATE TABLE libraries (
    library_id BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    media_kind TEXT COLLATE "C" NOT NULL,
    paths TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
