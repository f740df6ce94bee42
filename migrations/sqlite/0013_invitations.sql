-- Invitations, and the credentials for the clouds that keep some of them.

-- An invitation of this server has `shortcode_hash`, one of a cloud `cloud` and `cloud_invitation_id`. The status
-- `reserved` counts for the daily limit while the cloud is asked. The ids of accounts outlive the accounts.
-- `revocation_pending`: the cloud does not know of the revocation yet.
CREATE TABLE invitations (
    invitation_id INTEGER PRIMARY KEY,
    role TEXT NOT NULL,
    status TEXT NOT NULL,
    target TEXT,
    shortcode_hash BLOB,
    cloud TEXT,
    cloud_invitation_id TEXT,
    created_by BIGINT NOT NULL,
    creator_cloud_account TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    bound_at BIGINT,
    claimed_at BIGINT,
    claimed_by BIGINT,
    revocation_pending BOOLEAN NOT NULL
);
CREATE UNIQUE INDEX invitations_by_shortcode ON invitations (shortcode_hash) WHERE shortcode_hash IS NOT NULL;
CREATE INDEX invitations_by_cloud ON invitations (cloud, cloud_invitation_id) WHERE cloud IS NOT NULL;
CREATE INDEX invitations_by_status ON invitations (status, expires_at);
CREATE INDEX invitations_by_creation ON invitations (created_at);

-- Encrypted with a key of the data directory; one for each cloud.
CREATE TABLE cloud_credentials (
    cloud TEXT NOT NULL PRIMARY KEY,
    sealed BLOB NOT NULL,
    created_at BIGINT NOT NULL
) WITHOUT ROWID;
