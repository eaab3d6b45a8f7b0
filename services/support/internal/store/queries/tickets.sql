-- LockPerson makes the requests of one person wait for each other, so that
-- repeats and hourly numbers are seen. It ends with the transaction.
-- name: LockPerson :exec
SELECT pg_advisory_xact_lock(hashtextextended('support person ' || @user_id::text, 0));

-- name: TicketByKey :one
SELECT id, fingerprint FROM tickets WHERE user_id = @user_id AND idempotency_key = @idempotency_key;

-- NthTicketSince is when the person opened the nth newest of their tickets, if
-- that was after the given time. Those that staff opened for them do not count.
-- name: NthTicketSince :one
SELECT created_at FROM tickets t WHERE user_id = @user_id AND created_at > @since
AND NOT EXISTS (SELECT FROM ticket_changes c WHERE c.ticket_id = t.id AND c.field = 'opened')
ORDER BY created_at DESC, id DESC OFFSET sqlc.arg(n)::int - 1 LIMIT 1;

-- name: CreateTicket :one
INSERT INTO tickets (id, user_id, user_email, category, priority, status, subject, message, app_version, operating_system,
                     created_at, updated_at, version, idempotency_key, fingerprint, last_message_at, waiting_since, raised_from)
VALUES (@id, @user_id, @user_email, @category, @priority, @status, @subject, @message, @app_version, @operating_system,
        @created_at, @created_at, 1, @idempotency_key, @fingerprint, @created_at, @created_at, nullif(@raised_from::text, ''))
RETURNING number;

-- name: LockTicket :one
SELECT id, number, user_id, user_email, category, priority, status, subject, message, app_version, operating_system,
       created_at, updated_at, version, last_message_at, last_message_by, waiting_since, answered_at, assignee_id, assignee_email, tags
FROM tickets WHERE id = @id FOR UPDATE;

-- name: GetTicket :one
SELECT id, number, user_id, user_email, category, priority, status, subject, message, app_version, operating_system,
       created_at, updated_at, version, last_message_at, last_message_by, waiting_since, answered_at, assignee_id, assignee_email, tags
FROM tickets WHERE id = @id;

-- name: UpdateTicket :exec
UPDATE tickets SET status = @status, updated_at = @updated_at, version = @version, last_message_at = @last_message_at,
       last_message_by = @last_message_by, waiting_since = sqlc.narg(waiting_since), answered_at = sqlc.narg(answered_at)
WHERE id = @id;

-- name: MyTickets :many
SELECT id, number, user_id, user_email, category, priority, status, subject, message, app_version, operating_system,
       created_at, updated_at, version, last_message_at, last_message_by, waiting_since, answered_at, assignee_id, assignee_email, tags
FROM tickets
WHERE user_id = @user_id AND (created_at, id) < (@before_created_at::timestamptz, @before_id::uuid)
ORDER BY created_at DESC, id DESC
LIMIT @page_size::int;
