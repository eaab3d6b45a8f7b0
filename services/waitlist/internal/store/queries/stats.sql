-- name: CountByStatus :many
SELECT status, count(*) AS entries FROM waitlist_users GROUP BY status;

-- name: SignupsByDay :many
SELECT (created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS sign_ups
FROM waitlist_users WHERE created_at >= @since
GROUP BY 1;

-- name: ApprovalsByDay :many
SELECT (updated_at AT TIME ZONE 'UTC')::date AS day, count(*) AS approvals
FROM waitlist_users WHERE status = 'approved' AND updated_at >= @since
GROUP BY 1;

-- Invitations counts those who were approved since and still are.
-- name: Invitations :one
SELECT count(*) AS approved, count(opened_at) AS opened, count(arrived_at) AS signed_in
FROM waitlist_users WHERE status = 'approved' AND updated_at >= @since;
