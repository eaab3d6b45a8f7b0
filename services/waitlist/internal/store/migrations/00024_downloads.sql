-- +goose Up

-- When somebody who was approved has first loaded the app from the closed beta page, signed in.
ALTER TABLE waitlist_users ADD COLUMN downloaded_at timestamptz;
