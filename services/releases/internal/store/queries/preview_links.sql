-- name: AddPreviewLink :one
INSERT INTO preview_links (version, token_hash, ends_at)
VALUES (@version, @token_hash, now() + make_interval(days => @days::int))
RETURNING id, created_at, ends_at;

-- name: PreviewLinks :many
SELECT id, created_at, ends_at FROM preview_links
WHERE version = @version AND ends_at > now()
ORDER BY id DESC;

-- name: PreviewedVersion :one
SELECT id, version FROM preview_links WHERE token_hash = @token_hash AND ends_at > now();

-- name: DropPreviewLink :one
DELETE FROM preview_links WHERE id = @id AND ends_at > now() RETURNING version, ends_at;

-- name: DropEndedPreviewLinks :exec
DELETE FROM preview_links WHERE ends_at <= now();
