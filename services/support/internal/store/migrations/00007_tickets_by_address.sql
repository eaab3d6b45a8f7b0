-- +goose Up

-- Whose ticket a mail may be an answer to.
CREATE INDEX tickets_newest_by_address ON tickets (lower(user_email), created_at DESC, id DESC);
