-- +goose Up

-- When an import added the entry, whose created_at may be long before; NULL for all others.
ALTER TABLE waitlist_users ADD COLUMN imported_at timestamptz;
