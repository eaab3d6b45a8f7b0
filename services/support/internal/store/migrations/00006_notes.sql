-- +goose Up

-- What staff wrote for staff. A table of its own, so that nothing that customers read can hold it.
CREATE TABLE ticket_notes (
    id           uuid        PRIMARY KEY,
    seq          bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    ticket_id    uuid        NOT NULL REFERENCES tickets,
    author_id    uuid        NOT NULL,
    author_email text        NOT NULL,
    body         text        NOT NULL CHECK (char_length(body) BETWEEN 1 AND 10000),
    created_at   timestamptz NOT NULL
);
CREATE INDEX ticket_notes_of_ticket ON ticket_notes (ticket_id, seq DESC);
CREATE INDEX ticket_notes_by_author ON ticket_notes (author_id);

-- Texts that staff start an answer with.
CREATE TABLE canned_answers (
    id    uuid PRIMARY KEY,
    title text NOT NULL UNIQUE CHECK (char_length(title) BETWEEN 1 AND 100),
    body  text NOT NULL CHECK (char_length(body) BETWEEN 1 AND 10000)
);

-- Who has worked on a ticket as staff, and can be given others.
CREATE TABLE desk_staff (
    id    uuid PRIMARY KEY,
    email text NOT NULL
);
