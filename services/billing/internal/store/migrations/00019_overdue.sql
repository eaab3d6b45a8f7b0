-- +goose Up

-- What is to be paid while a payment is overdue, in the currency's smallest unit, and since when;
-- 0 otherwise.
ALTER TABLE subscriptions ADD COLUMN due_amount bigint NOT NULL DEFAULT 0,
    ADD COLUMN due_currency text NOT NULL DEFAULT '',
    ADD COLUMN due_since timestamptz;
