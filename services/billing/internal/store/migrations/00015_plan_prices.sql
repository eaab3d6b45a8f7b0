-- +goose Up

-- Prices of Stripe's that sell a plan beside those of the product that the settings name: what
-- was agreed on with a customer, or belongs to another product.
CREATE TABLE plan_prices (
    price_id       text        PRIMARY KEY CHECK (price_id ~ '^price_[A-Za-z0-9_]{1,250}$'),
    plan_id        text        NOT NULL REFERENCES plans,
    -- What each paid period gives, in hundredths of a credit; 0 leaves it to the plan.
    period_credits bigint      NOT NULL CHECK (period_credits >= 0),
    created_at     timestamptz NOT NULL
);
