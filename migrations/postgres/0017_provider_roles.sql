-- Roles that an account has because of its groups with a provider.

ALTER TABLE role_assignments ADD COLUMN by_provider BOOLEAN NOT NULL DEFAULT FALSE;
