-- +goose NO TRANSACTION
-- +goose Up

-- Whether an account was erased is asked while somebody waits.
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS outbox_erasures;
CREATE INDEX CONCURRENTLY outbox_erasures ON outbox (subject) WHERE type LIKE '%.user.erased';
RESET lock_timeout;
