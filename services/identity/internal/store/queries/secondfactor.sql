-- SecondFactorCodes are those that were typed for an account since a moment, the newest first.
-- name: SecondFactorCodes :many
SELECT hash, typed_at FROM second_factor_codes
WHERE user_id = @user_id AND typed_at > @since ORDER BY typed_at DESC LIMIT @count;

-- name: InsertSecondFactorCode :exec
INSERT INTO second_factor_codes (user_id, hash, typed_at) VALUES (@user_id, @hash, @now);

-- name: DeleteOldSecondFactorCodes :execrows
DELETE FROM second_factor_codes WHERE ctid IN (SELECT c.ctid FROM second_factor_codes c WHERE c.typed_at < @before::timestamptz LIMIT @count);
