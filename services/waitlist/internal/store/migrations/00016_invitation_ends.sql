-- +goose NO TRANSACTION
-- +goose Up

-- Until when the approval email says that the invitation has to be used; NULL if it does not say.
-- When its person was reminded of it, with a link of its own, of which the SHA-256 is kept, too. When
-- it was taken back because nobody had used it: the entry is pending since.
ALTER TABLE waitlist_users
    ADD COLUMN IF NOT EXISTS invitation_ends_at    timestamptz,
    ADD COLUMN IF NOT EXISTS reminded_at           timestamptz,
    ADD COLUMN IF NOT EXISTS reminder_hash         bytea,
    ADD COLUMN IF NOT EXISTS invitation_expired_at timestamptz;

SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS waitlist_users_reminder_hash;
CREATE UNIQUE INDEX CONCURRENTLY waitlist_users_reminder_hash ON waitlist_users (reminder_hash) WHERE reminder_hash IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS waitlist_users_unreminded;
CREATE INDEX CONCURRENTLY waitlist_users_unreminded ON waitlist_users (invited_at)
    WHERE status = 'approved' AND opened_at IS NULL AND arrived_at IS NULL AND claimed_by IS NULL
      AND reminded_at IS NULL AND mail = 'sent' AND left_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS waitlist_users_ending;
CREATE INDEX CONCURRENTLY waitlist_users_ending ON waitlist_users (invitation_ends_at)
    WHERE status = 'approved' AND opened_at IS NULL AND arrived_at IS NULL AND claimed_by IS NULL AND left_at IS NULL
      AND mail = 'sent';
DROP INDEX CONCURRENTLY IF EXISTS waitlist_users_expired;
CREATE INDEX CONCURRENTLY waitlist_users_expired ON waitlist_users (invited_at) WHERE invitation_expired_at IS NOT NULL;
RESET lock_timeout;
