-- InsertFamily answers no row when another call has just opened one for the
-- same Kratos session, or when that session was signed out meanwhile.
-- name: InsertFamily :one
INSERT INTO session_families (id, user_id, kratos_session_id, generation, leaf_hash, rotated_at, created_at, expires_at, user_agent, ip_address)
SELECT @id, @user_id, @kratos_session_id, 0, @leaf_hash, @created_at, @created_at, @expires_at, @user_agent, @ip_address
WHERE NOT EXISTS (
    SELECT FROM session_families f
    WHERE f.kratos_session_id = @kratos_session_id AND f.revoked_because = 'signed_out')
ON CONFLICT (kratos_session_id) WHERE revoked_at IS NULL DO NOTHING
RETURNING *;

-- FamilyOfKratosSession prefers the live family; of dead ones a signed-out one,
-- since that ends the Kratos session for good.
-- name: FamilyOfKratosSession :one
SELECT sqlc.embed(f), sqlc.embed(u)
FROM session_families f JOIN users u ON u.id = f.user_id
WHERE f.kratos_session_id = @kratos_session_id
ORDER BY (f.revoked_at IS NULL) DESC, (f.revoked_because = 'signed_out') DESC, f.created_at DESC
LIMIT 1;

-- name: LockFamily :one
SELECT sqlc.embed(f), sqlc.embed(u)
FROM session_families f JOIN users u ON u.id = f.user_id
WHERE f.id = @id
FOR UPDATE OF f;

-- UpdateFamily keeps the first moment of a revocation.
-- name: UpdateFamily :exec
UPDATE session_families
SET generation = @generation, leaf_hash = @leaf_hash, rotated_at = @rotated_at, revoked_because = sqlc.narg(revoked_because)::text,
    revoked_at = CASE WHEN sqlc.narg(revoked_because)::text IS NULL THEN NULL ELSE coalesce(revoked_at, @now::timestamptz) END
WHERE id = @id;

-- CloseKratosSession marks every family of a Kratos session as signed out. The
-- mark keeps a cookie that Kratos still honours from opening a new family.
-- name: CloseKratosSession :exec
UPDATE session_families SET revoked_at = coalesce(revoked_at, @now::timestamptz), revoked_because = 'signed_out'
WHERE kratos_session_id = @kratos_session_id AND revoked_because IS DISTINCT FROM 'signed_out';
