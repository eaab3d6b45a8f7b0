-- +goose Up

-- Somebody may delete a customer at Stripe, which cannot be undone. The account has no
-- customer then, until it buys again; what Stripe says of the former one stays its own.
ALTER TABLE customers ALTER COLUMN customer_id DROP NOT NULL;

CREATE TABLE former_customers (
    customer_id text        PRIMARY KEY,
    user_id     uuid        NOT NULL REFERENCES customers,
    -- When it was noticed.
    deleted_at  timestamptz NOT NULL
);
CREATE INDEX former_customers_by_user ON former_customers (user_id);
