-- LockAccount takes the lock under which families of an account are opened and
-- all of them ended, so that none slips through a sign-out everywhere and the
-- limit of living ones holds.
-- name: LockAccount :one
SELECT * FROM users WHERE id = @id FOR NO KEY UPDATE;

-- InsertBrowser answers no row when another call has just opened a family for
-- the same Kratos session, or when that session was ended here meanwhile: by
-- itself, or by being displaced.
-- name: InsertBrowser :one
INSERT INTO session_families (id, user_id, kratos_session_id, generation, leaf_hash, rotated_at, created_at, last_active_at, expires_at, authenticated_at, aal, device_name, user_agent, ip_address)
SELECT @id, @user_id, @kratos_session_id, 0, @leaf_hash, @created_at, @created_at, @last_active_at, @expires_at, @authenticated_at, @aal, @device_name, @user_agent, @ip_address
WHERE NOT EXISTS (
    SELECT FROM session_families f
    WHERE f.kratos_session_id = @kratos_session_id AND f.revoked_because <> 'reuse')
ON CONFLICT (kratos_session_id) WHERE revoked_at IS NULL DO NOTHING
RETURNING id;

-- name: InsertDevice :exec
INSERT INTO session_families (id, user_id, generation, leaf_hash, rotated_at, created_at, last_active_at, expires_at, authenticated_at, device_name, user_agent, ip_address)
VALUES (@id, @user_id, 0, @leaf_hash, @created_at, @created_at, @last_active_at, @expires_at, @authenticated_at, @device_name, @user_agent, @ip_address);

-- SeenDevices lists what an account's other families of one kind called themselves and where they were
-- last used, also those that ended.
-- name: SeenDevices :many
SELECT DISTINCT f.device_name, f.user_agent, f.ip_address FROM session_families f
WHERE f.user_id = @user_id AND (f.kratos_session_id IS NULL) = @devices::boolean AND f.id <> @opened;

-- CountOpened counts an account's families since a moment, ended ones too.
-- name: CountOpened :one
SELECT count(*) FROM session_families WHERE user_id = @user_id AND created_at > @since::timestamptz;

-- DisplaceFamilies ends the least recently used living families of one kind, so
-- many that beside the one just opened only the number to keep is left.
-- name: DisplaceFamilies :many
UPDATE session_families SET revoked_at = @now::timestamptz, revoked_because = 'displaced'
WHERE id IN (
    SELECT f.id FROM session_families f
    WHERE f.user_id = @user_id AND (f.kratos_session_id IS NULL) = @devices::boolean AND f.revoked_at IS NULL AND f.expires_at > @now
      AND f.id <> @opened
    ORDER BY f.last_active_at DESC, f.id DESC
    OFFSET @keep::integer)
RETURNING kratos_session_id;

-- FamilyOfKratosSession prefers the live family; of dead ones any that did not
-- end by reuse, since that ends the Kratos session for good.
-- name: FamilyOfKratosSession :one
SELECT sqlc.embed(f), sqlc.embed(u)
FROM session_families f JOIN users u ON u.id = f.user_id
WHERE f.kratos_session_id = @kratos_session_id
ORDER BY (f.revoked_at IS NULL) DESC, (f.revoked_because <> 'reuse') DESC, f.created_at DESC
LIMIT 1;

-- name: GetFamily :one
SELECT sqlc.embed(f), sqlc.embed(u)
FROM session_families f JOIN users u ON u.id = f.user_id
WHERE f.id = @id;

-- name: ListFamilies :many
SELECT sqlc.embed(f), sqlc.embed(u)
FROM session_families f JOIN users u ON u.id = f.user_id
WHERE f.user_id = @user_id AND f.revoked_at IS NULL AND f.expires_at > @now::timestamptz
ORDER BY f.last_active_at DESC, f.id DESC
LIMIT @count;

-- HoldFamily lets nobody change the family until the transaction has ended.
-- name: HoldFamily :one
SELECT sqlc.embed(f), sqlc.embed(u)
FROM session_families f JOIN users u ON u.id = f.user_id
WHERE f.id = @id
FOR SHARE OF f;

-- name: LockFamily :one
SELECT sqlc.embed(f), sqlc.embed(u)
FROM session_families f JOIN users u ON u.id = f.user_id
WHERE f.id = @id
FOR UPDATE OF f;

-- UpdateFamily keeps the first moment of a revocation.
-- name: UpdateFamily :exec
UPDATE session_families
SET generation = @generation, leaf_hash = @leaf_hash, rotated_at = @rotated_at, last_active_at = @last_active_at,
    user_agent = @user_agent, ip_address = @ip_address,
    revoked_because = sqlc.narg(revoked_because)::text,
    revoked_at = CASE WHEN sqlc.narg(revoked_because)::text IS NULL THEN NULL ELSE coalesce(revoked_at, @now::timestamptz) END
WHERE id = @id;

-- TouchFamily never goes back in time.
-- name: TouchFamily :exec
UPDATE session_families SET last_active_at = @at, user_agent = @user_agent, ip_address = @ip_address
WHERE id = @id AND last_active_at < @at;

-- RaiseFamily notes a second factor. There is no way down but another sign-in.
-- name: RaiseFamily :exec
UPDATE session_families SET aal = greatest(aal, @aal::smallint) WHERE id = @id;

-- CloseKratosSession marks every family of a Kratos session as signed out, and
-- answers how many of them were alive. The mark keeps a cookie that Kratos still
-- honours from opening a new family.
-- name: CloseKratosSession :one
WITH families AS MATERIALIZED (
    SELECT f.id, f.revoked_at IS NULL AND f.expires_at > @now::timestamptz AS alive FROM session_families f
    WHERE f.kratos_session_id = @kratos_session_id AND (f.revoked_because IS NULL OR f.revoked_because = 'reuse')
    ORDER BY f.id FOR UPDATE
), closed AS (
    UPDATE session_families f SET revoked_at = coalesce(f.revoked_at, @now), revoked_because = 'signed_out'
    FROM families WHERE f.id = families.id
)
SELECT count(*) FILTER (WHERE alive) FROM families;

-- MarkSignedOut tells each sign-out from the one before, also with a clock that has gone back.
-- name: MarkSignedOut :exec
UPDATE users SET signed_out_at = greatest(signed_out_at + interval '1 microsecond', @now::timestamptz), kratos_signed_out_at = NULL
WHERE id = @id;

-- MarkSignedOutBefore does nothing once there was a later sign-out everywhere.
-- name: MarkSignedOutBefore :exec
UPDATE users SET signed_out_at = @at::timestamptz, kratos_signed_out_at = NULL
WHERE id = @id AND (signed_out_at IS NULL OR signed_out_at < @at::timestamptz);

-- MarkSignedOutAtKratos does nothing once there was another sign-out everywhere.
-- name: MarkSignedOutAtKratos :exec
UPDATE users SET kratos_signed_out_at = signed_out_at WHERE id = @id AND signed_out_at = @at::timestamptz;

-- CloseAccount does the same with all families of an account but one.
-- name: CloseAccount :one
WITH families AS MATERIALIZED (
    SELECT f.id, f.revoked_at IS NULL AND f.expires_at > @now::timestamptz AS alive FROM session_families f
    WHERE f.user_id = @user_id AND f.id <> @besides AND (f.revoked_because IS NULL OR f.revoked_because = 'reuse')
    ORDER BY f.id FOR UPDATE
), closed AS (
    UPDATE session_families f SET revoked_at = coalesce(f.revoked_at, @now), revoked_because = 'signed_out'
    FROM families WHERE f.id = families.id
)
SELECT count(*) FILTER (WHERE alive) FROM families;

-- DeleteEndedFamilies removes some of the families that ended before a moment.
-- name: DeleteEndedFamilies :execrows
DELETE FROM session_families WHERE id IN (
    SELECT f.id FROM session_families f WHERE least(f.revoked_at, f.expires_at) < @before::timestamptz LIMIT @count);

-- EndSignInsBefore ends the families of an account whose person signed in until a moment.
-- name: EndSignInsBefore :execrows
UPDATE session_families SET revoked_at = @now::timestamptz, revoked_because = 'signed_out'
WHERE user_id = @user_id AND authenticated_at <= @at::timestamptz AND revoked_at IS NULL AND expires_at > @now::timestamptz;
