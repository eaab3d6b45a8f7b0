-- +goose Up

-- invited_at and invitation_expired_at as they were before the last approval, for its undo.
ALTER TABLE waitlist_users ADD COLUMN former_invited_at timestamptz, ADD COLUMN former_expired_at timestamptz;
