-- +goose Up

-- Search by trigrams. pg_trgm is a trusted extension, so the owner of the
-- database may install it; where that is not possible search is right without
-- the index, only slower, and that must not keep the service from starting.
-- +goose StatementBegin
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX tickets_search_trgm ON tickets USING gin (search gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
    RAISE WARNING 'support search runs without an index: %', SQLERRM;
END
$$;
-- +goose StatementEnd
