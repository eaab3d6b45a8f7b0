-- +goose Up

-- The relay looks for new events: a notification would make PostgreSQL take one lock, over all
-- databases of the server, for every commit with an event.
DROP TRIGGER outbox_notify ON outbox;
DROP FUNCTION outbox_notify();

-- Old rows are found by the primary key, because ids begin with their time.
DROP INDEX inbox_received_at;
