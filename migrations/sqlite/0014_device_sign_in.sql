-- Sessions of cloud accounts, recent sign-in, and the sign-in of devices without a browser.

-- When the user of the session authenticated; unknown for older sessions, absent for those that a cloud token continues.
ALTER TABLE sessions ADD COLUMN signed_in_at BIGINT;
-- The cloud token that continues a session without a refresh token.
ALTER TABLE sessions ADD COLUMN cloud_token_hash BLOB;
CREATE INDEX sessions_by_cloud_token ON sessions (cloud_token_hash) WHERE cloud_token_hash IS NOT NULL;

-- A device that waits for a signed-in user. The approval is bound to the session that gave it; the row of a device that
-- has received its session is deleted.
CREATE TABLE device_sign_ins (
    device_sign_in_id INTEGER PRIMARY KEY,
    device_code_hash BLOB NOT NULL,
    user_code_hash BLOB NOT NULL,
    app TEXT NOT NULL,
    user_agent TEXT,
    address TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    status TEXT NOT NULL,
    user_id BIGINT REFERENCES users (user_id) ON DELETE CASCADE,
    session_id BIGINT
);
CREATE UNIQUE INDEX device_sign_ins_by_device_code ON device_sign_ins (device_code_hash);
CREATE UNIQUE INDEX device_sign_ins_by_user_code ON device_sign_ins (user_code_hash);
CREATE INDEX device_sign_ins_by_expiry ON device_sign_ins (expires_at);
CREATE INDEX device_sign_ins_by_user ON device_sign_ins (user_id) WHERE user_id IS NOT NULL;
