-- name: InsertAuditEntry :exec
INSERT INTO audit_log (id, at, service, actor_id, actor_email, action, subject, subject_label, before, after, client_ip, user_agent, request_id)
VALUES (@id, @at, @service, @actor_id, @actor_email, @action, @subject, @subject_label, @before, @after, @client_ip, @user_agent, @request_id)
ON CONFLICT (id) DO NOTHING;

-- name: ListAudit :many
SELECT * FROM audit_log
WHERE at >= @since AND (at, id) < (@before_at::timestamptz, @before_id::uuid)
ORDER BY at DESC, id DESC
LIMIT @page_size;

-- name: ListAuditByAction :many
SELECT * FROM audit_log
WHERE action = @action AND at >= @since AND (at, id) < (@before_at::timestamptz, @before_id::uuid)
ORDER BY at DESC, id DESC
LIMIT @page_size;

-- ListAuditByActor takes the account's id or its address; '' for any action.
-- name: ListAuditByActor :many
SELECT * FROM audit_log
WHERE actor_id = @actor_id AND (@action::text = '' OR action = @action)
  AND at >= @since AND (at, id) < (@before_at::timestamptz, @before_id::uuid)
ORDER BY at DESC, id DESC
LIMIT @page_size;

-- name: ListAuditByAddress :many
SELECT * FROM audit_log
WHERE actor_email = @actor_email AND (@action::text = '' OR action = @action)
  AND at >= @since AND (at, id) < (@before_at::timestamptz, @before_id::uuid)
ORDER BY at DESC, id DESC
LIMIT @page_size;

-- SearchAudit matches a LIKE pattern; '' for any action or actor.
-- name: SearchAudit :many
SELECT * FROM audit_log
WHERE haystack LIKE @pattern AND (@action::text = '' OR action = @action)
  AND (@actor::text = '' OR actor_id::text = @actor OR actor_email = @actor)
  AND at >= @since AND (at, id) < (@before_at::timestamptz, @before_id::uuid)
ORDER BY at DESC, id DESC
LIMIT @page_size;
