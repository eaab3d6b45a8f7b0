-- InsertAuditEntry leaves out the address of somebody who has been erased meanwhile, and the
-- reason of what was done to them. What other services know by an address alone is theirs until the
-- end of the erasure, or its beginning if somebody else has the address now.
-- name: InsertAuditEntry :exec
INSERT INTO audit_log (id, at, service, actor_id, actor_email, action, subject, subject_label, before, after, client_ip, user_agent, request_id, reason)
SELECT @id, @at::timestamptz, @service::text, @actor_id, CASE WHEN e.actor THEN '' ELSE @actor_email::text END, @action, @subject,
       CASE WHEN e.subject THEN '' ELSE @subject_label::text END, sqlc.narg(before)::jsonb, sqlc.narg(after)::jsonb,
       CASE WHEN e.actor THEN '' ELSE @client_ip::text END, CASE WHEN e.actor THEN '' ELSE @user_agent::text END, @request_id,
       CASE WHEN e.subject THEN '' ELSE @reason::text END
FROM (SELECT EXISTS (SELECT FROM erasures WHERE user_id = @actor_id) AS actor,
             EXISTS (SELECT FROM erasures WHERE user_id::text = @subject)
             OR @service::text <> 'identity' AND EXISTS (
                 SELECT FROM erasures o WHERE sha256(convert_to(@subject_label::text, 'UTF8')) = ANY (o.address_hashes)
                   AND (@at::timestamptz <= o.began_at OR @at <= coalesce(o.finished_at, 'infinity')
                        AND NOT EXISTS (SELECT FROM users u WHERE u.email = @subject_label AND u.id <> o.user_id))) AS subject) AS e
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

-- ListAuditAbout takes the subject's id and its label, either of which may be ''. The label of an account that
-- is known finds what other services did alone: identity's own records have its id, and others may have had the address.
-- name: ListAuditAbout :many
SELECT * FROM audit_log
WHERE (subject = nullif(@subject::text, '') OR subject_label = nullif(@label::text, '') AND (service <> 'identity' OR NOT @known::boolean)) AND (@action::text = '' OR action = @action)
  AND at >= @since AND (at, id) < (@before_at::timestamptz, @before_id::uuid)
ORDER BY at DESC, id DESC
LIMIT @page_size;

-- SearchAudit matches LIKE patterns; '' for any action or actor.
-- name: SearchAudit :many
SELECT * FROM audit_log
WHERE haystack LIKE ANY (@patterns::text[]) AND (@action::text = '' OR action = @action)
  AND (@actor::text = '' OR actor_id::text = @actor OR actor_email = @actor)
  AND at >= @since AND (at, id) < (@before_at::timestamptz, @before_id::uuid)
ORDER BY at DESC, id DESC
LIMIT @page_size;

-- AllowAuditExpiry lets this transaction delete entries of the audit log.
-- name: AllowAuditExpiry :exec
SELECT set_config('fledge.expiring', 'on', true);

-- name: DeleteOldAuditEntries :execrows
DELETE FROM audit_log WHERE id IN (SELECT a.id FROM audit_log a WHERE a.at < @before::timestamptz ORDER BY a.at LIMIT @count);
