-- +goose Up

-- The channels that staff have given to people, by account; whoever has no row is on stable.
-- Who gave one, and why, is in the audit log alone.
CREATE TABLE user_channels (
    user_id uuid        PRIMARY KEY,
    channel text        NOT NULL CHECK (channel IN ('beta', 'alpha')),
    set_at  timestamptz NOT NULL DEFAULT now()
);
