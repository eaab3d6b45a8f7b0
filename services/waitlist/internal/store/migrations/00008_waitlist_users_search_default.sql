-- +goose Up

-- PostgreSQL's own size of the list of new entries, which whoever fills it merges.
ALTER INDEX IF EXISTS waitlist_users_email_trgm RESET (gin_pending_list_limit);
