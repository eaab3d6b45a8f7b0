-- +goose Up

-- What Stripe charges for each pack of credits that is sold, in the smallest unit of the currency.
CREATE TABLE pack_prices (
    price_id   text   PRIMARY KEY CHECK (price_id <> ''),
    product_id text   NOT NULL CHECK (product_id <> ''),
    amount     bigint NOT NULL CHECK (amount > 0),
    currency   text   NOT NULL CHECK (currency <> '')
);

-- Packs whose money is on its way from a bank. A row goes when the money has come, or will not.
CREATE TABLE packs_on_their_way (
    checkout_id text        PRIMARY KEY CHECK (checkout_id <> ''),
    user_id     uuid        NOT NULL,
    credits     bigint      NOT NULL CHECK (credits > 0),
    since       timestamptz NOT NULL
);
CREATE INDEX packs_on_their_way_user ON packs_on_their_way (user_id);
