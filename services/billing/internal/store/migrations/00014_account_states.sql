-- +goose Up

-- What identity has said last about accounts. An account without a row is active. Its own
-- table, so that whoever waits for Stripe with a row locked keeps nobody from the account's
-- credits or subscriptions.
CREATE TABLE account_states (
    user_id uuid        PRIMARY KEY,
    -- "erased" is for good.
    state   text        NOT NULL CHECK (state IN ('active', 'disabled', 'erased')),
    -- The time of the event that said so. Events may come out of order: an older one has
    -- no effect.
    since   timestamptz NOT NULL
);

-- When the account was closed: since then it has had nothing and is granted nothing.
ALTER TABLE credit_accounts ADD COLUMN closed_at timestamptz;
