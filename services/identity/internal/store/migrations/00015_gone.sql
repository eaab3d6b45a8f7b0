-- +goose Up
-- Accounts that were deleted in Kratos are erased like those that their owners have deleted.
CREATE INDEX users_gone ON users (disabled_at) WHERE disabled_because = 'gone';

-- +goose Down
DROP INDEX users_gone;
