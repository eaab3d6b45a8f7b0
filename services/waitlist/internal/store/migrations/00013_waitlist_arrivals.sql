-- +goose Up

-- When the link in the approval email was first opened, and when its person first came signed in.
ALTER TABLE waitlist_users
    ADD COLUMN opened_at  timestamptz,
    ADD COLUMN arrived_at timestamptz;
