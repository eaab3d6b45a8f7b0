-- +goose NO TRANSACTION
-- +goose Up
SET lock_timeout = 0;
-- Who is shown what, without reading the ended ones: a paused plan is shown, too.
DROP INDEX CONCURRENTLY IF EXISTS subscriptions_shown;
CREATE INDEX CONCURRENTLY subscriptions_shown ON subscriptions (user_id, status, created_at DESC) INCLUDE (plan_id)
    WHERE status IN ('active', 'cancelled', 'past_due', 'paused');
DROP INDEX CONCURRENTLY IF EXISTS subscriptions_standing;
RESET lock_timeout;
