-- +goose Up

-- Why an account is disabled: inactive in Kratos, or gone from there. NULL for
-- active ones. The living are asked about often, the gone only by the full walk.
ALTER TABLE users ADD COLUMN disabled_because text CHECK (disabled_because IN ('inactive', 'gone'));
CREATE INDEX users_disabled ON users (id) WHERE disabled_at IS NOT NULL;

-- Disabled: so was the account. Kratos_ended: the browser's session ended in
-- Kratos without us.
ALTER TABLE session_families
    DROP CONSTRAINT session_families_revoked_because_check,
    ADD CONSTRAINT session_families_revoked_because_check
        CHECK (revoked_because IN ('signed_out', 'reuse', 'displaced', 'disabled', 'kratos_ended'));
CREATE INDEX session_families_living ON session_families (user_id) WHERE revoked_at IS NULL;

-- The few who hold more than everybody does.
CREATE INDEX user_roles_holders ON user_roles (role, user_id) WHERE role <> 'user';

-- When the last run of a recurring job began that came through, of all replicas.
CREATE TABLE job_runs (
    job      text        PRIMARY KEY,
    began_at timestamptz NOT NULL
);

-- Substring search by trigrams. pg_trgm is a trusted extension, so the owner of
-- the database may install it; but it ships in a package of its own on some
-- systems, and some operators hold CREATE back. Search is right without the
-- index, only slower, and that must not keep the service from starting.
-- +goose StatementBegin
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX users_email_trgm ON users USING gin (email gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
    RAISE WARNING 'the search for users runs without an index: %', SQLERRM;
END
$$;
-- +goose StatementEnd
