-- InsertHandOffCode answers no row when the family has minted too many lately:
-- none that is older than since can be good any more.
-- name: InsertHandOffCode :one
INSERT INTO hand_off_codes (hash, family_id, callback, challenge, created_at, expires_at)
SELECT @hash, @family_id, @callback, @challenge, @created_at, @expires_at
WHERE (SELECT count(*) FROM hand_off_codes c WHERE c.family_id = @family_id AND c.created_at > @since AND c.expires_at > @created_at) < @at_most::integer
RETURNING hash;

-- name: LockHandOffCode :one
SELECT sqlc.embed(c), f.user_id
FROM hand_off_codes c JOIN session_families f ON f.id = c.family_id
WHERE c.hash = @hash
FOR UPDATE OF c;

-- name: UseHandOffCode :exec
UPDATE hand_off_codes SET used_at = @now, device_id = @device_id WHERE hash = @hash;

-- RevokeReusedDevice keeps the first moment and reason of a revocation.
-- name: RevokeReusedDevice :execrows
UPDATE session_families SET revoked_at = @now, revoked_because = 'reuse' WHERE id = @id AND revoked_at IS NULL;

-- name: DeleteOldHandOffCodes :execrows
DELETE FROM hand_off_codes WHERE hash IN (SELECT c.hash FROM hand_off_codes c WHERE c.created_at < @before::timestamptz LIMIT @count);
