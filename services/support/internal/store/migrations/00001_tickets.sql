-- +goose Up

-- Folds case the same way on every system.
CREATE FUNCTION folded(text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN lower($1 COLLATE "pg_c_utf8");

CREATE SEQUENCE ticket_number;

-- One row for each thing that a customer asked. Rows are never deleted.
CREATE TABLE tickets (
    id               uuid        PRIMARY KEY,
    -- What people read as TKT-000123.
    number           bigint      NOT NULL UNIQUE DEFAULT nextval('ticket_number'),
    user_id          uuid        NOT NULL,
    -- The verified address of the session in which the ticket was opened.
    user_email       text        NOT NULL CHECK (octet_length(user_email) BETWEEN 3 AND 320),
    category         text        NOT NULL CHECK (category IN ('bug', 'feature_request', 'billing', 'technical_support', 'other')),
    priority         text        NOT NULL CHECK (priority IN ('low', 'medium', 'high', 'urgent')),
    status           text        NOT NULL CHECK (status IN ('open', 'in_progress', 'resolved', 'closed')),
    subject          text        NOT NULL CHECK (char_length(subject) <= 200),
    message          text        NOT NULL CHECK (char_length(message) BETWEEN 1 AND 10000),
    app_version      text        NOT NULL CHECK (char_length(app_version) <= 64),
    operating_system text        NOT NULL CHECK (char_length(operating_system) <= 128),
    created_at       timestamptz NOT NULL,
    updated_at       timestamptz NOT NULL,
    -- Changes, plus one.
    version          bigint      NOT NULL DEFAULT 1 CHECK (version >= 1),
    -- Names the request that opened the ticket, and what it asked for.
    idempotency_key  text        NOT NULL CHECK (octet_length(idempotency_key) BETWEEN 1 AND 255),
    fingerprint      bytea       NOT NULL CHECK (octet_length(fingerprint) = 32),
    -- All that a search looks at. Lines keep a match from reaching over from one
    -- field into the next.
    search           text        COLLATE "C" NOT NULL GENERATED ALWAYS AS (folded(
        'TKT-' || lpad(number::text, greatest(6, length(number::text)), '0') || E'\n' || user_email || E'\n' || subject || E'\n' || message
    )) STORED,
    UNIQUE (user_id, idempotency_key)
);
ALTER SEQUENCE ticket_number OWNED BY tickets.number;

-- The list is read newest first, and counted, without touching the rows: a page
-- far down costs a walk along this index and no more.
CREATE INDEX tickets_newest ON tickets (created_at DESC, id DESC) INCLUDE (status, category, priority);
CREATE INDEX tickets_newest_by_user ON tickets (user_id, created_at DESC, id DESC);
-- What waits for staff, counted by priority.
CREATE INDEX tickets_waiting ON tickets (priority) WHERE status IN ('open', 'in_progress');

-- What followed a ticket's own message. Rows are only ever added.
CREATE TABLE ticket_messages (
    id              uuid        PRIMARY KEY,
    -- The order of the thread.
    seq             bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    ticket_id       uuid        NOT NULL REFERENCES tickets,
    author          text        NOT NULL CHECK (author IN ('customer', 'staff')),
    author_id       uuid        NOT NULL,
    author_email    text        NOT NULL,
    body            text        NOT NULL CHECK (char_length(body) BETWEEN 1 AND 10000),
    created_at      timestamptz NOT NULL,
    -- Of a customer's request; staff's are kept apart by the ticket's version.
    idempotency_key text        CHECK (octet_length(idempotency_key) BETWEEN 1 AND 255),
    fingerprint     bytea       CHECK (octet_length(fingerprint) = 32),
    UNIQUE (author_id, idempotency_key),
    CHECK ((author = 'customer') = (idempotency_key IS NOT NULL) AND (idempotency_key IS NULL) = (fingerprint IS NULL))
);
CREATE INDEX ticket_messages_thread ON ticket_messages (ticket_id, seq DESC);
CREATE INDEX ticket_messages_by_author ON ticket_messages (author_id, created_at DESC) WHERE author = 'customer';

-- How each ticket came to be what it is. Rows are only ever added.
CREATE TABLE ticket_changes (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    ticket_id   uuid        NOT NULL REFERENCES tickets,
    -- The version that the change made.
    version     bigint      NOT NULL,
    at          timestamptz NOT NULL,
    actor_id    uuid        NOT NULL,
    actor_email text        NOT NULL,
    field       text        NOT NULL CHECK (field IN ('status', 'message')),
    from_value  text        NOT NULL,
    to_value    text        NOT NULL,
    UNIQUE (ticket_id, version, field)
);
CREATE INDEX ticket_changes_resolved ON ticket_changes (at) WHERE field = 'status' AND to_value = 'resolved';
