-- +goose Up

-- Approvals by day, for the staff's overview.
CREATE INDEX waitlist_users_approvals ON waitlist_users (updated_at) WHERE status = 'approved';
