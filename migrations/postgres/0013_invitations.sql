-- Invitations, and the credentials for the clouds that keep some of them.

-- An invitation of this server has `shortcode_hash`, one of a cloud `cloud` and `cloud_invitation_id`. The status
-- `reserved` counts for the daily limit while the cloud is asked. The ids of accounts outlive the accounts.
-- `revocation_pending`: the cloud does not know of the revocation yet.
CREATE TABLE invitations (
    invitation_id BIGINT PRIMARY KEY,
    role TEXT COLLATE "C" NOT NULL,
    status TEXT COLLATE "C" NOT NULL,
    target TEXT COLLATE "C",
    shortcode_hash BYTEA,
    cloud TEXT COLLATE "C",
    cloud_invitation_id TEXT COLLATE "C",
    created_by BIGINT NOT NULL,
    creator_cloud_account TEXT COLLATE "C",
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
    cloud TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    sealed BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);
