-- name: WaitingByPriority :many
SELECT priority, count(*) AS waiting FROM tickets WHERE status IN ('open', 'in_progress') GROUP BY priority;

-- name: CreatedByDay :many
SELECT (created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS tickets FROM tickets WHERE created_at >= @since GROUP BY day;

-- name: ResolvedByDay :many
SELECT (at AT TIME ZONE 'UTC')::date AS day, count(DISTINCT ticket_id) AS tickets FROM ticket_changes
WHERE field = 'status' AND to_value = 'resolved' AND at >= @since GROUP BY day;

-- Backlog is what is open or in progress, by age.
-- name: Backlog :many
SELECT category, count(*) FILTER (WHERE created_at > @day) AS day, count(*) FILTER (WHERE created_at <= @day AND created_at > @week) AS week,
       count(*) FILTER (WHERE created_at <= @week) AS older
FROM tickets WHERE status IN ('open', 'in_progress') GROUP BY category;

-- FirstAnswer is the median of the latest thousand tickets since then that were answered, in seconds; -1 without any.
-- name: FirstAnswer :one
SELECT coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM a.answered_at - a.created_at)), -1)::bigint AS seconds
FROM (SELECT created_at, answered_at FROM tickets WHERE created_at >= @since AND answered_at IS NOT NULL ORDER BY created_at DESC LIMIT 1000) a;

-- TimeToResolve is the median of the latest thousand times since then that a ticket was resolved, in seconds; -1 without any.
-- name: TimeToResolve :one
SELECT coalesce(percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM c.at - t.created_at)), -1)::bigint AS seconds
FROM (SELECT ticket_id, at FROM ticket_changes WHERE field = 'status' AND to_value = 'resolved' AND at >= @since ORDER BY at DESC LIMIT 1000) c
JOIN tickets t ON t.id = c.ticket_id;

-- FirstAnswerByWeek is how long the latest 20,000 tickets since then waited for their first answer, in seconds, by the week that they were
-- opened in, by category and in all.
-- name: FirstAnswerByWeek :many
SELECT date_trunc('week', a.created_at AT TIME ZONE 'UTC')::date AS week, coalesce(a.category, '')::text AS category, count(*) AS tickets,
       (percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM a.answered_at - a.created_at)))::bigint AS p50,
       (percentile_cont(0.9) WITHIN GROUP (ORDER BY extract(epoch FROM a.answered_at - a.created_at)))::bigint AS p90
FROM (SELECT category, created_at, answered_at FROM tickets WHERE created_at >= @since AND answered_at IS NOT NULL ORDER BY created_at DESC LIMIT 20000) a
GROUP BY GROUPING SETS ((week), (week, a.category)) ORDER BY week, category;

-- TimeToResolveByWeek is how long the latest 20,000 times since then that a ticket was resolved took, in seconds, by the week of that, by
-- category and in all.
-- name: TimeToResolveByWeek :many
SELECT date_trunc('week', c.at AT TIME ZONE 'UTC')::date AS week, coalesce(t.category, '')::text AS category, count(*) AS tickets,
       (percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM c.at - t.created_at)))::bigint AS p50,
       (percentile_cont(0.9) WITHIN GROUP (ORDER BY extract(epoch FROM c.at - t.created_at)))::bigint AS p90
FROM (SELECT ticket_id, at FROM ticket_changes WHERE field = 'status' AND to_value = 'resolved' AND at >= @since ORDER BY at DESC LIMIT 20000) c
JOIN tickets t ON t.id = c.ticket_id
GROUP BY GROUPING SETS ((week), (week, t.category)) ORDER BY week, category;
