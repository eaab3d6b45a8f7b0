-- +goose NO TRANSACTION
-- +goose Up

-- For searches: those addresses are few.
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS waitlist_users_spelled;
CREATE INDEX CONCURRENTLY waitlist_users_spelled ON waitlist_users (id) WHERE spelled <> '';
RESET lock_timeout;
