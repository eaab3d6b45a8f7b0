-- name: UserChannel :one
SELECT channel, set_at FROM user_channels WHERE user_id = @user_id;

-- LockUser has changes of one account's channel follow each other until the transaction ends.
-- name: LockUser :exec
SELECT pg_advisory_xact_lock(hashtextextended('user_channels ' || @user_id::uuid, 0));

-- name: SetUserChannel :exec
INSERT INTO user_channels (user_id, channel) VALUES (@user_id, @channel)
ON CONFLICT (user_id) DO UPDATE SET channel = excluded.channel, set_at = now();

-- name: DropUserChannel :exec
DELETE FROM user_channels WHERE user_id = @user_id;

-- ExportUserChannel is what a person takes along.
-- name: ExportUserChannel :many
SELECT json_build_object('user_id', user_id, 'channel', channel, 'set_at', set_at)::json
FROM user_channels WHERE user_id = @user_id;
