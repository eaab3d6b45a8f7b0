-- +goose Up

-- What an account has changed as staff: the history keeps its id, and an empty address, when
-- the account is deleted. The messages have such an index.
CREATE INDEX ticket_changes_by_actor ON ticket_changes (actor_id);
