-- Of what was stored of a file: what is read again and says the same is not stored again.
ALTER TABLE files ADD COLUMN record_digest BIGINT;
