-- +goose Up

-- How a member of staff is told that customers wrote; null for whoever has not chosen.
ALTER TABLE desk_staff ADD COLUMN notices text;

-- The tickets that a member of staff is still to be told of by email: one row however often their
-- customers wrote.
CREATE TABLE staff_news (
    staff_id  uuid        NOT NULL,
    ticket_id uuid        NOT NULL REFERENCES tickets ON DELETE CASCADE,
    since     timestamptz NOT NULL,
    PRIMARY KEY (staff_id, ticket_id)
);
CREATE INDEX staff_news_of_ticket ON staff_news (ticket_id);

-- What the webhook is still to be told. What customers wrote is read when it is called.
CREATE TABLE webhook_calls (
    id         uuid        PRIMARY KEY,
    ticket_id  uuid        NOT NULL REFERENCES tickets ON DELETE CASCADE,
    type       text        NOT NULL CHECK (type IN ('ticket.opened', 'ticket.replied')),
    created_at timestamptz NOT NULL,
    attempts   integer     NOT NULL DEFAULT 0,
    next_at    timestamptz NOT NULL,
    -- Until then whoever refused this call wants no other, either.
    held_until timestamptz
);
CREATE INDEX webhook_calls_due ON webhook_calls (next_at);
CREATE INDEX webhook_calls_of_ticket ON webhook_calls (ticket_id);

-- Which members of staff have a ticket before them.
CREATE TABLE ticket_viewers (
    ticket_id uuid        NOT NULL REFERENCES tickets ON DELETE CASCADE,
    staff_id  uuid        NOT NULL,
    email     text        NOT NULL,
    writing   boolean     NOT NULL,
    seen_at   timestamptz NOT NULL,
    PRIMARY KEY (ticket_id, staff_id)
);
CREATE INDEX ticket_viewers_of_staff ON ticket_viewers (staff_id);
CREATE INDEX ticket_viewers_seen ON ticket_viewers (seen_at);

-- Staff may open a ticket for somebody, which the history tells.
ALTER TABLE ticket_changes DROP CONSTRAINT ticket_changes_field_check;
ALTER TABLE ticket_changes ADD CONSTRAINT ticket_changes_field_check
    CHECK (field IN ('status', 'message', 'priority', 'category', 'assignee', 'tags', 'plan', 'opened')) NOT VALID;
