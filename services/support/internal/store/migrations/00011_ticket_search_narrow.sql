-- +goose Up

-- What the index finds is looked up in the rows: a hundred of them to a page, not four, since also the
-- text of a long one is kept apart. Rows that are there move when they are next written.
ALTER TABLE ticket_search SET (toast_tuple_target = 128);
