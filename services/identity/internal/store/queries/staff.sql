-- name: GetPerson :one
SELECT sqlc.embed(u), ARRAY(SELECT r.role FROM user_roles r WHERE r.user_id = u.id ORDER BY r.role)::text[] AS roles
FROM users u WHERE u.id = @id;

-- GetPersonByEmail prefers an active account, and then the newest.
-- name: GetPersonByEmail :one
SELECT sqlc.embed(u), ARRAY(SELECT r.role FROM user_roles r WHERE r.user_id = u.id ORDER BY r.role)::text[] AS roles
FROM users u WHERE u.email = @email
ORDER BY (u.disabled_at IS NULL) DESC, u.created_at DESC, u.id DESC LIMIT 1;

-- StatesOf has the account that GetPersonByEmail would answer for each address.
-- name: StatesOf :many
SELECT DISTINCT ON (u.email) sqlc.embed(u) FROM users u WHERE u.email = ANY (@emails::text[])
ORDER BY u.email, (u.disabled_at IS NULL) DESC, u.created_at DESC, u.id DESC;

-- name: BarredOf :many
SELECT * FROM users WHERE id = ANY (@ids::uuid[]) AND disabled_at IS NOT NULL;

-- name: DisableByStaff :exec
UPDATE users SET disabled_at = coalesce(disabled_at, @now::timestamptz), disabled_because = 'staff', kratos_state = 'inactive', state_set_at = @now::timestamptz
WHERE id = @id;

-- EnableByStaff answers no row when the account's erasure has begun.
-- name: EnableByStaff :one
UPDATE users u SET disabled_at = NULL, disabled_because = NULL, erase_at = NULL, kratos_state = 'active', state_set_at = @now::timestamptz
WHERE u.id = @id AND NOT EXISTS (SELECT FROM erasures e WHERE e.user_id = u.id)
RETURNING *;

-- BeginDeletionByStaff answers no row when the account is to be deleted already.
-- name: BeginDeletionByStaff :one
UPDATE users SET disabled_at = coalesce(disabled_at, @now::timestamptz), disabled_because = 'deleting', erase_at = @erase_at::timestamptz, state_set_at = @now::timestamptz
WHERE id = @id AND erase_at IS NULL
RETURNING *;

-- LockKratosState lets one at a time write an account's identity in Kratos. It comes before the lock of the account.
-- name: LockKratosState :exec
SELECT pg_advisory_xact_lock(hashtextextended('identity.kratos_state.' || @user_id::uuid, 0));

-- name: KratosState :one
SELECT kratos_state, state_set_at FROM users WHERE id = @id;

-- KratosToldState keeps a state that was set while Kratos was told another. With the state inactive it has ended
-- all sessions, and makes no other.
-- name: KratosToldState :exec
UPDATE users SET kratos_state = NULL,
    kratos_signed_out_at = CASE WHEN kratos_state = 'inactive' THEN signed_out_at ELSE kratos_signed_out_at END
WHERE id = @id AND state_set_at = @state_set_at::timestamptz;

-- name: UntoldStates :many
SELECT id FROM users WHERE kratos_state IS NOT NULL AND id > @after ORDER BY id LIMIT @count;

-- ListSignIns lists living and ended families, the newest first.
-- name: ListSignIns :many
SELECT * FROM session_families WHERE user_id = @user_id AND created_at > @since::timestamptz
ORDER BY created_at DESC, id DESC LIMIT @count;
