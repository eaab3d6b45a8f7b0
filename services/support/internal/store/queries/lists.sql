-- Each is planned with its values, so that a filter that is empty costs nothing.

-- The places of a page are found in the index alone, and only its own rows are read.
-- name: PageOfTickets :many
SELECT t.id, t.number, t.user_id, t.user_email, t.category, t.priority, t.status, t.subject, t.message, t.app_version,
       t.operating_system, t.created_at, t.updated_at, t.version, t.last_message_at, t.last_message_by, t.waiting_since, t.answered_at,
       t.assignee_id, t.assignee_email, t.tags
FROM (
    SELECT p.id FROM tickets p
    WHERE (@status::text = '' OR p.status = @status) AND (@category::text = '' OR p.category = @category)
      AND (@priority::text = '' OR p.priority = @priority) AND (@tag::text = '' OR p.tags @> ARRAY[@tag::text])
      AND (@queue::text <> 'waiting' OR p.waiting_since IS NOT NULL)
      AND (@queue::text <> 'mine' OR (p.assignee_id = @caller::uuid AND p.status IN ('open', 'in_progress')))
      AND (@queue::text <> 'unassigned' OR (p.assignee_id IS NULL AND p.status IN ('open', 'in_progress')))
    ORDER BY CASE WHEN @sort::text = 'waiting' THEN p.waiting_since END, p.created_at DESC, p.id DESC
    LIMIT @page_size::int OFFSET @skip::int
) page JOIN tickets t ON t.id = page.id
ORDER BY CASE WHEN @sort::text = 'waiting' THEN t.waiting_since END, t.created_at DESC, t.id DESC;

-- name: CountTickets :one
SELECT count(*) FROM (
    SELECT 1 FROM tickets
    WHERE (@status::text = '' OR status = @status) AND (@category::text = '' OR category = @category)
      AND (@priority::text = '' OR priority = @priority) AND (@tag::text = '' OR tags @> ARRAY[@tag::text])
      AND (@queue::text <> 'waiting' OR waiting_since IS NOT NULL)
      AND (@queue::text <> 'mine' OR (assignee_id = @caller::uuid AND status IN ('open', 'in_progress')))
      AND (@queue::text <> 'unassigned' OR (assignee_id IS NULL AND status IN ('open', 'in_progress')))
    LIMIT @most::int
) counted;

-- name: TicketsAfter :many
SELECT id, number, user_id, user_email, category, priority, status, subject, message, app_version, operating_system,
       created_at, updated_at, version, last_message_at, last_message_by, waiting_since, answered_at, assignee_id, assignee_email, tags
FROM tickets
WHERE (@status::text = '' OR status = @status) AND (@category::text = '' OR category = @category)
      AND (@priority::text = '' OR priority = @priority) AND (@tag::text = '' OR tags @> ARRAY[@tag::text])
      AND (@queue::text <> 'waiting' OR waiting_since IS NOT NULL)
      AND (@queue::text <> 'mine' OR (assignee_id = @caller::uuid AND status IN ('open', 'in_progress')))
      AND (@queue::text <> 'unassigned' OR (assignee_id IS NULL AND status IN ('open', 'in_progress')))
  AND (created_at, id) < (@before_created_at::timestamptz, @before_id::uuid)
ORDER BY created_at DESC, id DESC
LIMIT @page_size::int;

-- ResolvedAt is when those of the tickets were last resolved that still are, or were closed since.
-- name: ResolvedAt :many
SELECT c.ticket_id, max(c.at)::timestamptz AS at
FROM ticket_changes c JOIN tickets t ON t.id = c.ticket_id
WHERE c.ticket_id = ANY (@ids::uuid[]) AND c.field = 'status' AND c.to_value = 'resolved' AND t.status IN ('resolved', 'closed')
GROUP BY c.ticket_id;
