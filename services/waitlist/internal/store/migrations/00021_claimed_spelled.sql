-- +goose Up

-- claimed_email with its domain in the letters of its language, as spelled is of email.
ALTER TABLE waitlist_users ADD COLUMN claimed_spelled text NOT NULL COLLATE "C" DEFAULT '';
