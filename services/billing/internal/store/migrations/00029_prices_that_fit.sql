-- +goose Up

-- Whether the price by the month, and the one by the year, is one that the plan can be sold at, as Stripe has it.
ALTER TABLE plans ADD COLUMN price_fits boolean NOT NULL DEFAULT true,
    ADD COLUMN yearly_fits boolean NOT NULL DEFAULT true;

-- A subscription is paid every so many of its intervals. period_amount is what is charged each time, before discounts
-- and taxes, in the currency's smallest unit; null until it is next read from Stripe.
ALTER TABLE subscriptions ADD COLUMN interval_count integer NOT NULL DEFAULT 1,
    ADD COLUMN period_amount bigint;
