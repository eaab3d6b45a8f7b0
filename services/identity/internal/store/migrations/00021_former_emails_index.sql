-- +goose NO TRANSACTION
-- +goose Up

-- Whoever gets an address takes it from the accounts that had it before.
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS users_former_emails;
CREATE INDEX CONCURRENTLY users_former_emails ON users USING gin (former_emails) WHERE former_emails <> '{}';
RESET lock_timeout;

-- +goose Down
DROP INDEX users_former_emails;
