-- +goose Up

-- Whether an admin lets the plan of a disabled account renew; until identity says something else of the account.
ALTER TABLE account_states ADD COLUMN renews boolean NOT NULL DEFAULT false;
