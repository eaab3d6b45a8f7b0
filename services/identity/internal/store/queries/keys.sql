-- LockKeys makes replicas that start together agree on one first key.
-- name: LockKeys :exec
SELECT pg_advisory_xact_lock(hashtext('identity.keys'));

-- name: ListKeys :many
SELECT * FROM keys ORDER BY created_at, id;

-- name: InsertKey :exec
INSERT INTO keys (id, purpose, state, sealed, created_at, state_since)
VALUES (@id, @purpose, @state, @sealed, @created_at, @created_at);
