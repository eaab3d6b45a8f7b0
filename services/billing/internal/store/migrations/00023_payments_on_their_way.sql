-- +goose Up

-- Whether the money of due_amount is on its way from a bank.
ALTER TABLE subscriptions ADD COLUMN due_processing boolean NOT NULL DEFAULT false;
