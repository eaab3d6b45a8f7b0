-- +goose Up

-- The addresses that an account had before its present one: what other places hold under them is its
-- owner's, who takes it along and has it erased.
ALTER TABLE users ADD COLUMN former_emails text[] NOT NULL DEFAULT '{}';

-- +goose Down
ALTER TABLE users DROP COLUMN former_emails;
