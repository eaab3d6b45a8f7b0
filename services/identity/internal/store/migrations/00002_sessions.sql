-- +goose Up

-- A family is one signed-in browser or device: a line of refresh tokens of
-- which only the newest, the leaf, works. No token is stored, only the leaf's
-- SHA-256.
CREATE TABLE session_families (
    id                uuid        PRIMARY KEY,
    user_id           uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    -- The browser's Kratos session; NULL for a device of its own.
    kratos_session_id uuid,
    generation        bigint      NOT NULL CHECK (generation >= 0),
    leaf_hash         bytea       NOT NULL CHECK (octet_length(leaf_hash) = 32),
    rotated_at        timestamptz NOT NULL,
    created_at        timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL,
    revoked_at        timestamptz,
    revoked_because   text        CHECK (revoked_because IN ('signed_out', 'reuse')),
    user_agent        text        NOT NULL,
    ip_address        text        NOT NULL,
    CHECK ((revoked_at IS NULL) = (revoked_because IS NULL))
);
CREATE INDEX session_families_user ON session_families (user_id);
CREATE INDEX session_families_kratos_session ON session_families (kratos_session_id);
-- Tabs that arrive together share one family.
CREATE UNIQUE INDEX session_families_one_live ON session_families (kratos_session_id) WHERE revoked_at IS NULL;
