-- Each is planned with its values, so that a filter that is empty costs nothing.

-- The places of a page are found in the index alone, and only its own rows are read.
-- name: PageOfTickets :many
SELECT t.id, t.number, t.user_id, t.user_email, t.category, t.priority, t.status, t.subject, t.message, t.app_version,
       t.operating_system, t.created_at, t.updated_at, t.version
FROM (
    SELECT p.id FROM tickets p
    WHERE (@status::text = '' OR p.status = @status) AND (@category::text = '' OR p.category = @category)
      AND (@priority::text = '' OR p.priority = @priority)
    ORDER BY p.created_at DESC, p.id DESC
    LIMIT @page_size::int OFFSET @skip::int
) page JOIN tickets t ON t.id = page.id
ORDER BY t.created_at DESC, t.id DESC;

-- name: CountTickets :one
SELECT count(*) FROM (
    SELECT 1 FROM tickets
    WHERE (@status::text = '' OR status = @status) AND (@category::text = '' OR category = @category)
      AND (@priority::text = '' OR priority = @priority)
    LIMIT @most::int
) counted;

-- name: TicketsAfter :many
SELECT id, number, user_id, user_email, category, priority, status, subject, message, app_version, operating_system,
       created_at, updated_at, version
FROM tickets
WHERE (@status::text = '' OR status = @status) AND (@category::text = '' OR category = @category)
      AND (@priority::text = '' OR priority = @priority)
  AND (created_at, id) < (@before_created_at::timestamptz, @before_id::uuid)
ORDER BY created_at DESC, id DESC
LIMIT @page_size::int;
