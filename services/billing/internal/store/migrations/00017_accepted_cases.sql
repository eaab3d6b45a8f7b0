-- +goose Up

-- What people have decided about something of Stripe's that cannot be applied: it is left as it
-- is from then on.
CREATE TABLE accepted_cases (
    object      text        PRIMARY KEY CHECK (object ~ '^[A-Za-z0-9_]{1,255}$'),
    reason      text        NOT NULL CHECK (reason <> ''),
    accepted_at timestamptz NOT NULL
);
