-- Sign-in with a provider of OpenID Connect.

-- Sessions with the provider behind sessions of this server. `token` is what the provider validates the session with,
-- encrypted; NULL if the provider gave none. `validations` counts successful ones; while one runs, `validating_until` is
-- set, so that no other server uses the same token, which the provider may accept only once.
CREATE TABLE cloud_sessions (
    session_id INTEGER PRIMARY KEY REFERENCES sessions (session_id) ON DELETE CASCADE,
    account_id TEXT NOT NULL,
    provider_session_id TEXT,
    token BLOB,
    validations BIGINT NOT NULL,
    validating_until BIGINT
);
CREATE INDEX cloud_sessions_by_account ON cloud_sessions (account_id);
CREATE INDEX cloud_sessions_by_provider_session ON cloud_sessions (provider_session_id);

-- Hashes of values that are accepted once: started sign-ins, tickets for linking, reports of sign-outs. `content` is
-- encrypted.
CREATE TABLE single_use_values (
    value_hash BLOB NOT NULL PRIMARY KEY,
    content BLOB,
    expires_at BIGINT NOT NULL
) WITHOUT ROWID;
CREATE INDEX single_use_values_by_expiry ON single_use_values (expires_at);
