-- +goose Up

-- What the invoice of a grant came to, taxes and discounts included, in hundredths of the currency.
-- An invoice that stands for several grants is the first one's.
CREATE TABLE credit_payments (
    grant_id bigint PRIMARY KEY REFERENCES credit_grants,
    user_id  uuid   NOT NULL,
    invoice  text   NOT NULL UNIQUE CHECK (invoice <> ''),
    amount   bigint NOT NULL CHECK (amount > 0),
    currency text   NOT NULL CHECK (currency <> '')
);
CREATE INDEX credit_payments_user ON credit_payments (user_id, grant_id);
