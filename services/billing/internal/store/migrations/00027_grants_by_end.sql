-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS credit_grants_period_end;
CREATE INDEX CONCURRENTLY credit_grants_period_end ON credit_grants (period_end) WHERE ended_at IS NULL;
RESET lock_timeout;
