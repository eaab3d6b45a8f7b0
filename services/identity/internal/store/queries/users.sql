-- name: ListUsers :many
SELECT sqlc.embed(u), ARRAY(SELECT r.role FROM user_roles r WHERE r.user_id = u.id ORDER BY r.role)::text[] AS roles
FROM users u
WHERE (u.created_at, u.id) < (@before_created_at::timestamptz, @before_id::uuid)
ORDER BY u.created_at DESC, u.id DESC
LIMIT @page_size;

-- SearchUsers matches a LIKE pattern.
-- name: SearchUsers :many
SELECT sqlc.embed(u), ARRAY(SELECT r.role FROM user_roles r WHERE r.user_id = u.id ORDER BY r.role)::text[] AS roles
FROM users u
WHERE u.email LIKE @pattern AND (u.created_at, u.id) < (@before_created_at::timestamptz, @before_id::uuid)
ORDER BY u.created_at DESC, u.id DESC
LIMIT @page_size;

-- ListHolders lists who holds a role that not everybody has. They are few and
-- looked up one by one, whatever the planner believes of their number: OFFSET 0
-- and MATERIALIZED keep it from reading all users instead.
-- name: ListHolders :many
WITH holders AS MATERIALIZED (
    SELECT g.user_id FROM user_roles g WHERE g.role = @role AND g.role <> 'user'
), page AS (
    SELECT k.id, k.created_at
    FROM holders h CROSS JOIN LATERAL (SELECT p.id, p.created_at FROM users p WHERE p.id = h.user_id OFFSET 0) k
    WHERE (k.created_at, k.id) < (@before_created_at::timestamptz, @before_id::uuid)
    ORDER BY k.created_at DESC, k.id DESC
    LIMIT @page_size
)
SELECT sqlc.embed(u), ARRAY(SELECT r.role FROM user_roles r WHERE r.user_id = u.id ORDER BY r.role)::text[] AS roles
FROM page JOIN users u ON u.id = page.id
ORDER BY u.created_at DESC, u.id DESC;

-- name: SearchHolders :many
WITH holders AS MATERIALIZED (
    SELECT g.user_id FROM user_roles g WHERE g.role = @role AND g.role <> 'user'
), page AS (
    SELECT k.id, k.created_at
    FROM holders h CROSS JOIN LATERAL (SELECT p.id, p.created_at, p.email FROM users p WHERE p.id = h.user_id OFFSET 0) k
    WHERE k.email LIKE @pattern::text AND (k.created_at, k.id) < (@before_created_at::timestamptz, @before_id::uuid)
    ORDER BY k.created_at DESC, k.id DESC
    LIMIT @page_size
)
SELECT sqlc.embed(u), ARRAY(SELECT r.role FROM user_roles r WHERE r.user_id = u.id ORDER BY r.role)::text[] AS roles
FROM page JOIN users u ON u.id = page.id
ORDER BY u.created_at DESC, u.id DESC;

-- SetEmailOff ignores a report that is older than the latest.
-- name: SetEmailOff :exec
UPDATE users SET email_off_since = CASE WHEN @off::boolean THEN @at::timestamptz END, email_reported_at = @at::timestamptz
WHERE id = @id AND email = @email AND (email_reported_at IS NULL OR email_reported_at < @at::timestamptz);
