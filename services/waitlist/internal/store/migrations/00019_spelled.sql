-- +goose Up

-- The address with its domain in the letters of its language, where those are beyond ASCII. It is for searches alone.
ALTER TABLE waitlist_users ADD COLUMN spelled text NOT NULL COLLATE "C" DEFAULT '';
