-- +goose Up

-- Whose ids of Stripe's the other tables hold: those of one account in one mode. At most one
-- row, none in a demo.
CREATE TABLE stripe_account (
    one        boolean     PRIMARY KEY DEFAULT true CHECK (one),
    -- '' until Stripe has said it.
    account_id text        NOT NULL CHECK (account_id ~ '^(acct_[A-Za-z0-9_]{1,250})?$'),
    livemode   boolean     NOT NULL,
    since      timestamptz NOT NULL
);
