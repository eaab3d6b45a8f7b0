-- BeginDeletion answers no row when the account is disabled already.
-- name: BeginDeletion :one
UPDATE users SET disabled_at = @now::timestamptz, disabled_because = 'deleting', erase_at = @erase_at::timestamptz
WHERE id = @id AND disabled_at IS NULL
RETURNING *;

-- TakeBackDeletion answers no row unless the account waits for its erasure. Who was disabled before
-- cannot, even if Kratos has not been told yet.
-- name: TakeBackDeletion :one
UPDATE users u SET disabled_at = NULL, disabled_because = NULL, erase_at = NULL
WHERE u.id = @id AND u.disabled_because = 'deleting'
  AND u.kratos_state IS DISTINCT FROM 'inactive'
  AND NOT EXISTS (SELECT FROM erasures e WHERE e.user_id = u.id)
RETURNING *;

-- EraseGone ends accounts that Kratos has not known since before a moment.
-- name: EraseGone :execrows
WITH accounts AS MATERIALIZED (
    SELECT u.id FROM users u WHERE u.disabled_because = 'gone' AND u.disabled_at <= @gone_before::timestamptz
    ORDER BY u.id FOR NO KEY UPDATE
)
UPDATE users u SET disabled_because = 'deleting', erase_at = @now::timestamptz
FROM accounts WHERE u.id = accounts.id;

-- AccountsToErase leaves out the first ones, as many as were skipped.
-- name: AccountsToErase :many
SELECT id FROM users u
WHERE u.erase_at <= @now::timestamptz AND NOT EXISTS (SELECT FROM erasures e WHERE e.user_id = u.id)
ORDER BY u.erase_at, u.id LIMIT @count OFFSET @skip;

-- BeginErasure answers no row when the deletion was taken back, or the erasure has begun.
-- name: BeginErasure :one
INSERT INTO erasures (user_id, emails, address_hashes, began_at)
SELECT u.id, @emails::text[], ARRAY(SELECT sha256(convert_to(e.email, 'UTF8')) FROM unnest(@emails::text[]) AS e (email)), @now::timestamptz
FROM users u WHERE u.id = @id AND u.erase_at <= @now::timestamptz
ON CONFLICT (user_id) DO NOTHING
RETURNING *;

-- AddErasureAnswer also notes the addresses that the service alone knew.
-- name: AddErasureAnswer :exec
WITH answered AS (
    INSERT INTO erasure_answers (user_id, service, answered_at)
    SELECT e.user_id, @service, @answered_at FROM erasures e WHERE e.user_id = @user_id
    ON CONFLICT DO NOTHING
    RETURNING user_id
)
UPDATE erasures e SET address_hashes = e.address_hashes || coalesce(@address_hashes::bytea[], '{}')
FROM answered WHERE e.user_id = answered.user_id;

-- AnsweredErasures lists erasures that all these services have answered, and when the last of them did.
-- name: AnsweredErasures :many
SELECT e.user_id, (SELECT max(a.answered_at) FROM erasure_answers a WHERE a.user_id = e.user_id)::timestamptz AS answered_at
FROM erasures e
WHERE e.finished_at IS NULL AND e.user_id > @after
  AND NOT EXISTS (
    SELECT FROM unnest(@services::text[]) AS s (name)
    WHERE NOT EXISTS (SELECT FROM erasure_answers a WHERE a.user_id = e.user_id AND a.service = s.name))
ORDER BY e.user_id LIMIT @count;

-- name: LockErasure :one
SELECT * FROM erasures WHERE user_id = @user_id AND finished_at IS NULL FOR UPDATE;

-- name: FinishErasure :exec
UPDATE erasures SET finished_at = @now::timestamptz, emails = '{}' WHERE user_id = @user_id;

-- name: FinishedErasures :many
SELECT user_id FROM erasures WHERE finished_at >= @since::timestamptz ORDER BY user_id;

-- name: DeleteUser :exec
DELETE FROM users WHERE id = @id;

-- AllowAuditErasure lets this transaction drop names from the audit log.
-- name: AllowAuditErasure :exec
SELECT set_config('fledge.erasing', 'on', true);

-- EraseFromAudit drops what names a person, or tells where they were. A record about the account may have a
-- label that has become another's address: it goes, too. What other services know by an address alone is the person's; if
-- somebody else has the address now, until the erasure began.
-- name: EraseFromAudit :execrows
WITH about AS MATERIALIZED (
    SELECT a.id FROM audit_log a
    WHERE a.subject = (@user_id::uuid)::text
       OR a.service <> 'identity' AND sha256(convert_to(a.subject_label, 'UTF8')) = ANY (@address_hashes::bytea[])
          AND (a.at <= @began_at::timestamptz OR NOT EXISTS (SELECT FROM users u WHERE u.email = a.subject_label AND u.id <> @user_id::uuid))
)
UPDATE audit_log l SET
    actor_email   = CASE WHEN l.actor_id = @user_id THEN '' ELSE l.actor_email END,
    subject_label = CASE WHEN l.id IN (SELECT id FROM about) THEN '' ELSE l.subject_label END,
    reason        = CASE WHEN l.id IN (SELECT id FROM about) THEN '' ELSE l.reason END,
    client_ip     = CASE WHEN l.actor_id = @user_id THEN '' ELSE l.client_ip END,
    user_agent    = CASE WHEN l.actor_id = @user_id THEN '' ELSE l.user_agent END
WHERE l.actor_id = @user_id OR l.id IN (SELECT id FROM about);

-- OthersAddresses are those of the addresses that another account has.
-- name: OthersAddresses :many
SELECT DISTINCT email FROM users WHERE email = ANY (@emails::text[]) AND id <> @user_id;

-- name: DeleteOldErasures :execrows
DELETE FROM erasures WHERE user_id IN (SELECT e.user_id FROM erasures e WHERE e.finished_at < @before::timestamptz LIMIT @count);

-- OpenErasureAges are the seconds since the oldest erasure began that waits for an answer, and
-- the oldest that has them all; 0 without any.
-- name: OpenErasureAges :one
SELECT coalesce(extract(epoch FROM now() - min(began_at) FILTER (WHERE NOT answered)), 0)::float8 AS services,
       coalesce(extract(epoch FROM now() - min(began_at) FILTER (WHERE answered)), 0)::float8 AS identity
FROM (
    SELECT e.began_at, (SELECT count(*) FROM erasure_answers a WHERE a.user_id = e.user_id AND a.service = ANY (@services::text[])) = cardinality(@services) AS answered
    FROM erasures e WHERE e.finished_at IS NULL
) AS open;
