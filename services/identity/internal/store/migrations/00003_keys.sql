-- +goose Up

-- Keys of this service, sealed under KEY_ENCRYPTION_KEY (see internal/keyring).
-- A signing key is published as next before it signs as active, and stays
-- published as retired until the last token that it signed has expired.
CREATE TABLE keys (
    id         text        PRIMARY KEY,
    purpose    text        NOT NULL CHECK (purpose IN ('access_token', 'refresh_token')),
    state      text        NOT NULL CHECK (state IN ('next', 'active', 'retired')),
    sealed     bytea       NOT NULL,
    created_at timestamptz NOT NULL,
    state_since timestamptz NOT NULL
);
CREATE UNIQUE INDEX keys_one_active ON keys (purpose) WHERE state = 'active';
