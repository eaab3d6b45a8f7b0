-- name: CountByStatus :many
SELECT status, count(*) AS entries FROM waitlist_users GROUP BY status;

-- name: SignupsByDay :many
SELECT (created_at AT TIME ZONE 'UTC')::date AS day, count(*) AS sign_ups
FROM waitlist_users WHERE created_at >= @since
GROUP BY 1;

-- ApprovalsByDay and Invitations count those who were approved since and still are, and those whose
-- invitation was sent since and has ended unused.
-- name: ApprovalsByDay :many
SELECT ((CASE status WHEN 'approved' THEN updated_at ELSE invited_at END) AT TIME ZONE 'UTC')::date AS day, count(*) AS approvals
FROM waitlist_users
WHERE (status = 'approved' AND updated_at >= @since) OR (invitation_expired_at IS NOT NULL AND invited_at >= @since)
GROUP BY 1;

-- name: Invitations :one
SELECT count(*) AS approved, count(opened_at) AS opened, count(arrived_at) AS signed_in, count(downloaded_at) AS downloaded,
    count(*) FILTER (WHERE reminded_at IS NOT NULL) AS reminded, count(invitation_expired_at) AS expired
FROM waitlist_users
WHERE (status = 'approved' AND updated_at >= @since) OR (invitation_expired_at IS NOT NULL AND invited_at >= @since);
