-- name: TicketByNumber :one
SELECT id, number, user_id, user_email, category, priority, status, subject, message, app_version, operating_system,
       created_at, updated_at, version, last_message_at, last_message_by, waiting_since, answered_at, assignee_id, assignee_email, tags
FROM tickets WHERE number = @number;

-- name: TicketsOfAddress :many
SELECT id, number, user_id, user_email, category, priority, status, subject, message, app_version, operating_system,
       created_at, updated_at, version, last_message_at, last_message_by, waiting_since, answered_at, assignee_id, assignee_email, tags
FROM tickets WHERE lower(user_email) = lower(@address)
ORDER BY created_at DESC, id DESC LIMIT @most::int;

-- name: HasMail :one
SELECT (EXISTS (SELECT FROM tickets t WHERE t.user_id = @user_id AND t.idempotency_key = @idempotency_key)
    OR EXISTS (SELECT FROM ticket_messages m WHERE m.author_id = @user_id AND m.idempotency_key = @idempotency_key::text) )::bool AS has;
