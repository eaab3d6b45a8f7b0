-- +goose Up

-- What the owner recognises a device by, and the minute in which it last got a token.
ALTER TABLE session_families
    ADD COLUMN device_name text NOT NULL DEFAULT '' CHECK (char_length(device_name) <= 64),
    ADD COLUMN last_active_at timestamptz;
UPDATE session_families SET last_active_at = date_trunc('minute', greatest(rotated_at, created_at));
ALTER TABLE session_families
    ALTER COLUMN device_name DROP DEFAULT,
    ALTER COLUMN last_active_at SET NOT NULL,
    -- Displaced: the account opened more of the kind than it may hold.
    DROP CONSTRAINT session_families_revoked_because_check,
    ADD CONSTRAINT session_families_revoked_because_check CHECK (revoked_because IN ('signed_out', 'reuse', 'displaced'));
-- Dead rows go when they have been dead for long enough.
CREATE INDEX session_families_ended ON session_families (least(revoked_at, expires_at));

-- Kratos sessions that were authenticated up to this moment open nothing any
-- more: the account signed out everywhere.
ALTER TABLE users ADD COLUMN signed_out_at timestamptz;

-- A code by which a browser hands its sign-in over to an app (RFC 6749 section
-- 4.1, RFC 7636). The code itself is not stored, only its SHA-256. Used codes
-- stay for a day, so that a second use is noticed.
CREATE TABLE hand_off_codes (
    hash       bytea       PRIMARY KEY CHECK (octet_length(hash) = 32),
    -- The browser's family, without which the code is worth nothing.
    family_id  uuid        NOT NULL REFERENCES session_families ON DELETE CASCADE,
    callback   text        NOT NULL,
    -- SHA-256 of the verifier that only the app knows.
    challenge  bytea       NOT NULL CHECK (octet_length(challenge) = 32),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at    timestamptz,
    -- The device that its one use opened.
    device_id  uuid        REFERENCES session_families ON DELETE SET NULL,
    CHECK (device_id IS NULL OR used_at IS NOT NULL)
);
CREATE INDEX hand_off_codes_family ON hand_off_codes (family_id, created_at);
CREATE INDEX hand_off_codes_device ON hand_off_codes (device_id);
CREATE INDEX hand_off_codes_created ON hand_off_codes (created_at);
