-- +goose Up

-- At 16,000 sign-ups a second, 16 MB are full before the service sorts again, which it
-- does every other second; this is room for four times as many. In kB.
ALTER INDEX IF EXISTS waitlist_users_email_trgm SET (gin_pending_list_limit = 65536);
