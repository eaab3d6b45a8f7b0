-- +goose Up

-- Whether the price by the month is one that the plan can be sold at, as Stripe has it.
ALTER TABLE plans ADD COLUMN fits boolean NOT NULL DEFAULT true;

-- A subscription is paid every so many of its intervals.
ALTER TABLE subscriptions ADD COLUMN interval_count integer NOT NULL DEFAULT 1;
