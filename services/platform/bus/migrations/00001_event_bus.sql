-- +goose Up

-- Events of this service, in the transaction that caused them.
CREATE TABLE outbox (
    seq          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id           uuid        NOT NULL,
    type         text        NOT NULL,
    "time"       timestamptz NOT NULL DEFAULT now(),
    source       text        NOT NULL,
    subject      text        NOT NULL CHECK (subject <> ''),
    version      bigint      NOT NULL DEFAULT 0 CHECK (version >= 0),
    traceparent  text        NOT NULL DEFAULT '',
    payload      bytea       NOT NULL CHECK (octet_length(payload) <= 245760),
    -- Place in the stream that holds it now; NULL waits for the relay.
    stream_seq   bigint,
    -- First acknowledgement; stays when the row is published again.
    published_at timestamptz
);
CREATE INDEX outbox_pending ON outbox (seq) WHERE stream_seq IS NULL;
CREATE INDEX outbox_stream_seq ON outbox (stream_seq) WHERE stream_seq IS NOT NULL;

-- The stream that stream_seq speaks of. Another creation time is another stream.
CREATE TABLE outbox_stream (
    name    text PRIMARY KEY,
    created timestamptz NOT NULL
);

-- +goose StatementBegin
CREATE FUNCTION outbox_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('outbox', '');
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- By row, because a statement trigger also fires for an insert of no rows.
-- Postgres folds equal notifications of one transaction into one.
CREATE TRIGGER outbox_notify AFTER INSERT ON outbox
    FOR EACH ROW EXECUTE FUNCTION outbox_notify();

-- Events that a consumer of this service has dealt with.
CREATE TABLE inbox (
    consumer    text        NOT NULL,
    event_id    uuid        NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (consumer, event_id)
);
CREATE INDEX inbox_received_at ON inbox USING brin (received_at);

-- Messages that no retry can help, until somebody mends the cause.
CREATE TABLE dead_letter (
    consumer   text        NOT NULL,
    event_id   uuid        NOT NULL,
    type       text        NOT NULL,
    headers    jsonb       NOT NULL,
    payload    bytea       NOT NULL,
    reason     text        NOT NULL,
    died_at    timestamptz NOT NULL DEFAULT now(),
    -- When to hand it to the consumer again; NULL leaves it alone.
    redrive_at timestamptz,
    PRIMARY KEY (consumer, event_id)
);
