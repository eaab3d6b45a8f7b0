-- +goose Up

-- What a month of a subscription comes to at its price, before discounts and taxes, in the
-- currency's smallest unit; null until it is next read from Stripe. ended_at is when it ended, as
-- Stripe says.
ALTER TABLE subscriptions ADD COLUMN monthly_amount bigint,
    ADD COLUMN currency text NOT NULL DEFAULT '',
    ADD COLUMN ended_at timestamptz;

CREATE INDEX credit_grants_owed ON credit_grants (user_id) WHERE owed > 0;

-- Which subscription a parked event belongs to; '' where that is not known.
ALTER TABLE stripe_events ADD COLUMN subscription_id text NOT NULL DEFAULT '';

-- What the last comparison with Stripe could not apply.
CREATE TABLE odd_cases (
    object          text        PRIMARY KEY CHECK (object ~ '^[A-Za-z0-9_]{1,255}$'),
    reason          text        NOT NULL CHECK (reason <> ''),
    subscription_id text        NOT NULL,
    found_at        timestamptz NOT NULL,
    seen_at         timestamptz NOT NULL
);

ALTER TABLE accepted_cases ADD COLUMN decision text NOT NULL DEFAULT 'accept'
    CHECK (decision IN ('accept', 'grant', 'ignore'));
