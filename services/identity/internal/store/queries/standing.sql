-- AccountsInUse lists accounts that are signed in somewhere or may become active
-- again by Kratos, in the order of their ids. Of those that are gone these are the ones of
-- the last day. Each half stops at the page's size.
-- name: AccountsInUse :many
WITH page AS (
    (SELECT DISTINCT f.user_id AS id FROM session_families f
     WHERE f.revoked_at IS NULL AND f.expires_at > @now::timestamptz AND f.user_id > @after
     ORDER BY f.user_id LIMIT @page_size)
    UNION
    (SELECT d.id FROM users d
     WHERE d.disabled_at IS NOT NULL AND d.erase_at IS NULL AND d.disabled_because IS DISTINCT FROM 'staff' AND d.id > @after
       AND (d.disabled_because IS DISTINCT FROM 'gone' OR d.disabled_at + interval '1 day' > @now::timestamptz)
     ORDER BY d.id LIMIT @page_size)
)
SELECT u.id, (u.disabled_at IS NOT NULL)::boolean AS disabled, (u.disabled_because IS NOT DISTINCT FROM 'gone')::boolean AS gone
FROM page JOIN users u ON u.id = page.id
ORDER BY u.id LIMIT @page_size;

-- name: AccountsBetween :many
SELECT id, (disabled_at IS NOT NULL)::boolean AS disabled, (disabled_because IS NOT DISTINCT FROM 'gone')::boolean AS gone
FROM users
WHERE id > @after AND id <= @up_to
ORDER BY id LIMIT @page_size;

-- Disable keeps the first moment but for who is gone, and says whose standing changed. Like all that
-- changes many rows it locks them in the order of their ids. Here and in Enable an account stays
-- as it is that waits for its erasure, that staff have disabled, or whose state they have set
-- since Kratos was asked.
-- name: Disable :many
WITH accounts AS MATERIALIZED (
    SELECT u.id FROM users u
    WHERE u.id = ANY (@ids::uuid[]) AND (u.disabled_at IS NULL OR u.disabled_because IS DISTINCT FROM @because::text)
      AND u.disabled_because IS DISTINCT FROM 'staff' AND u.erase_at IS NULL
      AND u.kratos_state IS NULL AND (u.state_set_at IS NULL OR u.state_set_at < @asked_at::timestamptz)
    ORDER BY u.id FOR NO KEY UPDATE
)
UPDATE users u SET disabled_at = CASE WHEN @because::text = 'gone' THEN @now::timestamptz ELSE coalesce(u.disabled_at, @now::timestamptz) END,
    disabled_because = @because::text
FROM accounts WHERE u.id = accounts.id
RETURNING u.id;

-- name: Enable :many
WITH accounts AS MATERIALIZED (
    SELECT u.id FROM users u WHERE u.id = ANY (@ids::uuid[]) AND u.disabled_at IS NOT NULL
      AND u.disabled_because IS DISTINCT FROM 'staff' AND u.erase_at IS NULL
      AND u.kratos_state IS NULL AND (u.state_set_at IS NULL OR u.state_set_at < @asked_at::timestamptz)
    ORDER BY u.id FOR NO KEY UPDATE
)
UPDATE users u SET disabled_at = NULL, disabled_because = NULL
FROM accounts WHERE u.id = accounts.id
RETURNING u.id;

-- name: EndFamiliesOfDisabled :execrows
WITH families AS MATERIALIZED (
    SELECT f.id FROM session_families f WHERE f.user_id = ANY (@ids::uuid[]) AND f.revoked_at IS NULL
    ORDER BY f.id FOR UPDATE
)
UPDATE session_families f SET revoked_at = @now::timestamptz, revoked_because = 'disabled'
FROM families WHERE f.id = families.id;

-- KratosSessionsInUse lists the Kratos sessions behind living families that were
-- opened before a moment, in the order of their ids.
-- name: KratosSessionsInUse :many
SELECT kratos_session_id::uuid AS id FROM session_families
WHERE revoked_at IS NULL AND kratos_session_id > @after::uuid AND expires_at > @now::timestamptz AND created_at < @now::timestamptz
ORDER BY kratos_session_id LIMIT @page_size;

-- name: EndFamiliesOfKratosSessions :execrows
WITH families AS MATERIALIZED (
    SELECT f.id FROM session_families f WHERE f.kratos_session_id = ANY (@kratos_sessions::uuid[]) AND f.revoked_at IS NULL
    ORDER BY f.id FOR UPDATE
)
UPDATE session_families f SET revoked_at = @now::timestamptz, revoked_because = 'kratos_ended'
FROM families WHERE f.id = families.id;
