-- +goose Up

-- The update channel of the Mac app that a wave gives to those whom it approves: beta or alpha, '' for none.
ALTER TABLE waves ADD COLUMN channel text NOT NULL DEFAULT '';

-- What the wave that has approved the entry gave.
ALTER TABLE waitlist_users ADD COLUMN channel text NOT NULL DEFAULT '';
