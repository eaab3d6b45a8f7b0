-- +goose Up

-- What people are told by email: once for each key, which names the event and its period. Rows
-- stay, so that nobody is told twice; ended_at is when the email was queued, or was no longer due.
CREATE TABLE notices (
    user_id  uuid        NOT NULL,
    key      text        NOT NULL CHECK (key <> ''),
    kind     text        NOT NULL CHECK (kind IN ('low', 'used_up', 'ending', 'payment_failed', 'plan_changing', 'plan_changed', 'plan_ended')),
    says     jsonb       NOT NULL,
    noted_at timestamptz NOT NULL,
    ended_at timestamptz,
    PRIMARY KEY (user_id, key)
);
CREATE INDEX notices_open ON notices (noted_at) WHERE ended_at IS NULL;
CREATE INDEX notices_ended ON notices (ended_at) WHERE ended_at IS NOT NULL;

-- Until when credits have been looked at; one row.
CREATE TABLE notices_seen (
    single  boolean     PRIMARY KEY DEFAULT true CHECK (single),
    through timestamptz NOT NULL
);
