-- +goose Up

-- When the person proved who they are to a provider; a Mac has it from the browser that
-- handed its sign-in over. Families from before count as old.
ALTER TABLE session_families ADD COLUMN authenticated_at timestamptz NOT NULL DEFAULT 'epoch';

-- An account that the person wants to be deleted is disabled, and erased at erase_at.
ALTER TABLE users ADD COLUMN erase_at timestamptz;
ALTER TABLE users DROP CONSTRAINT users_disabled_because_check;
ALTER TABLE users ADD CONSTRAINT users_disabled_because_check CHECK (disabled_because IN ('inactive', 'gone', 'deleting'));
ALTER TABLE users ADD CONSTRAINT users_deleting CHECK ((erase_at IS NOT NULL) = (disabled_because IS NOT DISTINCT FROM 'deleting'));
CREATE INDEX users_erase_at ON users (erase_at) WHERE erase_at IS NOT NULL;

-- Erasures that have begun. A finished one has no address any more: the hashes keep events that
-- come late from bringing an address back.
CREATE TABLE erasures (
    user_id        uuid        PRIMARY KEY,
    emails         text[]      NOT NULL,
    address_hashes bytea[]     NOT NULL,
    began_at       timestamptz NOT NULL,
    finished_at    timestamptz,
    CHECK (finished_at IS NULL OR emails = '{}')
);
CREATE INDEX erasures_open ON erasures (began_at) WHERE finished_at IS NULL;

-- The services that hold nothing of the account any more.
CREATE TABLE erasure_answers (
    user_id     uuid        NOT NULL REFERENCES erasures (user_id) ON DELETE CASCADE,
    service     text        NOT NULL,
    answered_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, service)
);

-- Entries stay; what names an erased person in them goes.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('fledge.erasing', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'audit_log is append-only';
END
$$;
-- +goose StatementEnd
