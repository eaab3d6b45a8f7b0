-- +goose Up

-- A wave approves many entries in the background: the pending ones that match, those who have
-- waited longest first. Entries that joined before reached are through; next_at is when the next
-- batch is due, last_at when the last one was.
CREATE TABLE waves (
    id            uuid PRIMARY KEY,
    search        text NOT NULL,
    source        text NOT NULL,
    joined_before timestamptz NOT NULL,
    people        integer NOT NULL CHECK (people >= 0),
    per_minute    integer NOT NULL CHECK (per_minute >= 0),
    starts_at     timestamptz NOT NULL,
    state         text NOT NULL CHECK (state IN ('scheduled', 'running', 'paused', 'done', 'cancelled')),
    total         bigint NOT NULL,
    approved      bigint NOT NULL DEFAULT 0,
    undone        bigint NOT NULL DEFAULT 0,
    failed        uuid[] NOT NULL DEFAULT '{}',
    reached       timestamptz NOT NULL DEFAULT 'epoch',
    next_at       timestamptz NOT NULL,
    last_at       timestamptz,
    actor_id      uuid NOT NULL,
    actor_email   text NOT NULL,
    created_at    timestamptz NOT NULL
);

CREATE INDEX waves_due ON waves (next_at) WHERE state IN ('scheduled', 'running');

-- The wave that has approved the entry last.
ALTER TABLE waitlist_users ADD COLUMN wave uuid;
