-- +goose Up

-- What a year of a plan costs, in US cents; 0 until it is offered and Stripe has been asked.
ALTER TABLE plans ADD COLUMN price_yearly bigint NOT NULL DEFAULT 0 CHECK (price_yearly >= 0);

-- How often a subscription is paid, in Stripe's words, and how often after the change that waits.
ALTER TABLE subscriptions ADD COLUMN interval text NOT NULL DEFAULT 'month',
    ADD COLUMN next_interval text NOT NULL DEFAULT '';
