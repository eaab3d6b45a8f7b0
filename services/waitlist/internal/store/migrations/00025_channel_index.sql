-- +goose NO TRANSACTION
-- +goose Up

-- To whom a wave has given an update channel, for when it is taken back.
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS waitlist_users_channel;
CREATE INDEX CONCURRENTLY waitlist_users_channel ON waitlist_users (wave) WHERE channel <> '';
RESET lock_timeout;
