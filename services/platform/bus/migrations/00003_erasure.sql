-- +goose Up

-- An erased event is never published again. The relay deletes its message, then its row.
ALTER TABLE outbox ADD COLUMN erased boolean NOT NULL DEFAULT false;
CREATE INDEX outbox_erased ON outbox (seq) WHERE erased;
