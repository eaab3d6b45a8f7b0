-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
-- Of two subscriptions that began in the same second the same one is shown everywhere.
DROP INDEX CONCURRENTLY IF EXISTS subscriptions_standing;
CREATE INDEX CONCURRENTLY subscriptions_standing ON subscriptions (user_id, status, created_at DESC, id) INCLUDE (plan_id)
    WHERE status IN ('active', 'cancelled', 'past_due', 'paused');
DROP INDEX CONCURRENTLY IF EXISTS subscriptions_shown;
RESET lock_timeout;
