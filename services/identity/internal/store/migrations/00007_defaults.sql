-- +goose Up

-- Replicas of the version before 00004 go on opening families while the newer
-- ones start: they know neither column.
ALTER TABLE session_families
    ALTER COLUMN device_name SET DEFAULT '',
    ALTER COLUMN last_active_at SET DEFAULT date_trunc('minute', now());

-- How many families an account has opened lately; also serves what the index on
-- the account alone did.
CREATE INDEX session_families_opened ON session_families (user_id, created_at);
DROP INDEX session_families_user;
