-- Digest of the stored record of a file: a file that is read again with the same record is not stored again.
ALTER TABLE files ADD COLUMN record_digest BIGINT;
