-- +goose Up

-- What a search looks at: all texts of a ticket, folded by the service (package search), so that
-- every letter of every script is found in every database, whatever its locale. The version before
-- this one goes on to use tickets.search, without its index.
CREATE TABLE ticket_search (
    ticket_id uuid     NOT NULL REFERENCES tickets ON DELETE CASCADE,
    -- The ticket's version that it shows, and the rules by which it was folded.
    version   bigint   NOT NULL,
    folding   smallint NOT NULL,
    -- One line for each text, so that a match does not reach over from one into the next.
    folded    text     COLLATE "C" NOT NULL,
    -- All that is one, two or three letters or signs long in it, hashed.
    grams     int[]    NOT NULL,
    -- What is out of date is found in the index alone.
    PRIMARY KEY (ticket_id) INCLUDE (version, folding)
);
-- They are read for many tickets at a time, and short: unpacking would take longer than reading.
ALTER TABLE ticket_search ALTER folded SET STORAGE EXTERNAL, ALTER grams SET STORAGE EXTERNAL;
CREATE INDEX ticket_search_grams ON ticket_search USING gin (grams) WITH (fastupdate = off);

DROP INDEX IF EXISTS tickets_search_trgm;
