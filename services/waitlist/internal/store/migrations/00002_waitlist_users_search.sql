-- +goose Up

-- Substring search by trigrams. pg_trgm is a trusted extension, so the owner of
-- the database may install it; but it ships in a package of its own on some
-- systems, and some operators hold CREATE back. Search is right without the
-- index, only slower, and that must not keep the service from starting.
-- +goose StatementBegin
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX waitlist_users_email_trgm ON waitlist_users USING gin (email gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
    RAISE WARNING 'waitlist search runs without an index: %', SQLERRM;
END
$$;
-- +goose StatementEnd
