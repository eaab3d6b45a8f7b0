-- name: CountByStatus :many
SELECT status, count(*) AS entries FROM waitlist_users GROUP BY status;

-- name: SignupsByDay :many
SELECT day, sum(count)::bigint AS sign_ups FROM signup_daily WHERE day >= @since GROUP BY day;

-- name: ApprovalsByDay :many
SELECT (updated_at AT TIME ZONE 'UTC')::date AS day, count(*) AS approvals
FROM waitlist_users WHERE status = 'approved' AND updated_at >= @since
GROUP BY 1;
