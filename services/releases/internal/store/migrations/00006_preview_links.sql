-- +goose Up

-- Links by which whoever has one downloads a release that is perhaps not offered. The link holds
-- the token, of which only the SHA-256 is here. Who made one is in the audit log alone.
CREATE TABLE preview_links (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    version    text        NOT NULL REFERENCES releases ON DELETE CASCADE,
    token_hash bytea       NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    created_at timestamptz NOT NULL DEFAULT now(),
    ends_at    timestamptz NOT NULL,
    CHECK (ends_at > created_at AND ends_at <= created_at + interval '30 days')
);
