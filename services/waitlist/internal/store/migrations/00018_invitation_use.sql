-- +goose NO TRANSACTION
-- +goose Up

-- A claim by the link counts as its use in opened_at: entries are also claimed by following their account to
-- another address, and that uses no invitation.
UPDATE waitlist_users SET opened_at = coalesce(arrived_at, invited_at, updated_at)
WHERE claimed_by IS NOT NULL AND status = 'approved' AND opened_at IS NULL;

SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS waitlist_users_unreminded;
CREATE INDEX CONCURRENTLY waitlist_users_unreminded ON waitlist_users (invited_at)
    WHERE status = 'approved' AND opened_at IS NULL AND arrived_at IS NULL
      AND reminded_at IS NULL AND mail = 'sent' AND left_at IS NULL;
DROP INDEX CONCURRENTLY IF EXISTS waitlist_users_ending;
CREATE INDEX CONCURRENTLY waitlist_users_ending ON waitlist_users (invitation_ends_at)
    WHERE status = 'approved' AND opened_at IS NULL AND arrived_at IS NULL AND left_at IS NULL
      AND mail = 'sent';
RESET lock_timeout;
