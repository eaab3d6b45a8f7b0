-- +goose Up

-- Which customer of Stripe's an account is. What Stripe says about customers comes
-- to accounts through this table alone.
CREATE TABLE customers (
    user_id     uuid        PRIMARY KEY,
    customer_id text        NOT NULL CONSTRAINT customer_once UNIQUE CHECK (customer_id ~ '^cus_[A-Za-z0-9_]{1,250}$'),
    -- How often something that was read from Stripe has been applied to the account.
    -- What was read before it last moved is old.
    syncs       bigint      NOT NULL DEFAULT 0,
    -- Counts the changes of what GetSubscription shows.
    version     bigint      NOT NULL DEFAULT 0,
    created_at  timestamptz NOT NULL
);

-- Subscriptions as Stripe last told, the ended ones included.
CREATE TABLE subscriptions (
    id            text        PRIMARY KEY,
    user_id       uuid        NOT NULL REFERENCES customers,
    -- Stripe's word.
    stripe_status text        NOT NULL,
    -- Ours: "free" once it has ended, see package subscription.
    status        text        NOT NULL,
    plan_id       text        NOT NULL REFERENCES plans,
    price_id      text        NOT NULL,
    period_start  timestamptz NOT NULL,
    period_end    timestamptz NOT NULL,
    -- When it is scheduled to end.
    cancel_at     timestamptz,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL
);
CREATE INDEX subscriptions_by_user ON subscriptions (user_id, created_at DESC);

-- What Stripe has delivered, each event once.
CREATE TABLE stripe_events (
    id          text        PRIMARY KEY,
    type        text        NOT NULL,
    -- The id of what it is about.
    object      text        NOT NULL,
    livemode    boolean     NOT NULL,
    created_at  timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    -- pending; applied; ignored (of a type without effect); wrong_mode (test for live
    -- or the other way round); parked (cannot be applied, reason says why).
    state       text        NOT NULL CHECK (state IN ('pending', 'applied', 'ignored', 'wrong_mode', 'parked')),
    attempts    integer     NOT NULL DEFAULT 0,
    reason      text        NOT NULL DEFAULT '' CHECK ((reason <> '') = (state = 'parked')),
    ended_at    timestamptz
);
CREATE INDEX stripe_events_parked ON stripe_events (received_at) WHERE state = 'parked';

-- For asking which invoices have been granted: a grant's reference is "invoice/line".
CREATE INDEX credit_grants_invoice ON credit_grants (split_part(reference, '/', 1));
