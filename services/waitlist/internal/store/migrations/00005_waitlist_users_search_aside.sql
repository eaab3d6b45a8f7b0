-- +goose Up

-- Whoever fills the list of new entries sorts it into the index before they are answered,
-- which makes one sign-up in a hundred slow. The service does that on the side every
-- other second; a sign-up does so only where that is not enough. In kB.
ALTER INDEX IF EXISTS waitlist_users_email_trgm SET (gin_pending_list_limit = 16384);
