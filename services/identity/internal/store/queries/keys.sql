-- LockKeys lets one replica at a time change keys.
-- name: LockKeys :exec
SELECT pg_advisory_xact_lock(hashtext('identity.keys'));

-- name: ListKeys :many
SELECT * FROM keys ORDER BY created_at, id;

-- name: InsertKey :exec
INSERT INTO keys (id, purpose, state, sealed, created_at, state_since)
VALUES (@id, @purpose, @state, @sealed, @created_at, @state_since);

-- name: MoveKey :exec
UPDATE keys SET state = @state, state_since = @state_since WHERE id = @id;

-- name: ResealKey :exec
UPDATE keys SET sealed = @sealed WHERE id = @id;

-- name: DeleteKey :exec
DELETE FROM keys WHERE id = @id;
