-- name: WaitingByPriority :many
SELECT priority, count(*) AS waiting FROM tickets WHERE status IN ('open', 'in_progress') GROUP BY priority;

-- name: CreatedByDay :many
SELECT (created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS tickets FROM tickets WHERE created_at >= @since GROUP BY day;

-- name: ResolvedByDay :many
SELECT (at AT TIME ZONE 'UTC')::date AS day, count(*) AS tickets FROM ticket_changes
WHERE field = 'status' AND to_value = 'resolved' AND at >= @since GROUP BY day;
