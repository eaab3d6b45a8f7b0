-- +goose Up

-- What members of staff changed, in all services. Rows come from events and are
-- never changed or deleted; the id is the event's.
CREATE TABLE audit_log (
    id            uuid        PRIMARY KEY,
    at            timestamptz NOT NULL,
    service       text        NOT NULL,
    actor_id      uuid        NOT NULL,
    actor_email   text        COLLATE "C" NOT NULL,
    action        text        COLLATE "C" NOT NULL,
    subject       text        NOT NULL,
    subject_label text        NOT NULL,
    before        jsonb,
    after         jsonb,
    client_ip     text        NOT NULL,
    user_agent    text        NOT NULL,
    request_id    text        NOT NULL,
    -- What the search looks at.
    haystack      text        COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(subject || ' ' || subject_label || ' ' || actor_email)) STORED
);

-- The log is read newest first: all of it, one action's, or one person's.
CREATE INDEX audit_log_newest ON audit_log (at DESC, id DESC);
CREATE INDEX audit_log_action ON audit_log (action, at DESC, id DESC);
CREATE INDEX audit_log_actor_id ON audit_log (actor_id, at DESC, id DESC);
CREATE INDEX audit_log_actor_email ON audit_log (actor_email, at DESC, id DESC);

-- Not even a mistake in a program changes what was recorded.
-- +goose StatementBegin
CREATE FUNCTION audit_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit_log is append-only';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();

-- Substring search by trigrams, where the extension may be installed (see 00005).
-- +goose StatementBegin
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX audit_log_haystack_trgm ON audit_log USING gin (haystack gin_trgm_ops);
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
    RAISE WARNING 'the search of the audit log runs without an index: %', SQLERRM;
END
$$;
-- +goose StatementEnd
