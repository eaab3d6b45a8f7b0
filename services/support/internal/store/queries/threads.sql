-- name: MessageByKey :one
SELECT ticket_id, fingerprint FROM ticket_messages WHERE author_id = @author_id AND idempotency_key = @idempotency_key::text;

-- NthMessageSince is when the person wrote the nth newest of their messages, if
-- that was after the given time.
-- name: NthMessageSince :one
SELECT created_at FROM ticket_messages WHERE author_id = @author_id AND author = 'customer' AND created_at > @since
ORDER BY created_at DESC OFFSET sqlc.arg(n)::int - 1 LIMIT 1;

-- LastMessage is the newest of the thread.
-- name: LastMessage :one
SELECT author_id, body, created_at FROM ticket_messages WHERE ticket_id = @ticket_id ORDER BY seq DESC LIMIT 1;

-- name: AddMessage :exec
INSERT INTO ticket_messages (id, ticket_id, author, author_id, author_email, body, created_at, idempotency_key, fingerprint)
VALUES (@id, @ticket_id, @author, @author_id, @author_email, @body, @created_at, nullif(@idempotency_key::text, ''), sqlc.narg(fingerprint));

-- name: AddChange :exec
INSERT INTO ticket_changes (ticket_id, version, at, actor_id, actor_email, field, from_value, to_value)
VALUES (@ticket_id, @version, @at, @actor_id, @actor_email, @field, @from_value, @to_value);

-- LatestMessages are the latest of each of the tickets, oldest first.
-- name: LatestMessages :many
SELECT m.id, m.ticket_id, m.author, m.author_email, m.body, m.created_at
FROM unnest(@ticket_ids::uuid[]) AS wanted (ticket_id)
CROSS JOIN LATERAL (
    SELECT l.seq, l.id, l.ticket_id, l.author, l.author_email, l.body, l.created_at
    FROM ticket_messages l WHERE l.ticket_id = wanted.ticket_id
    ORDER BY l.seq DESC LIMIT @most::int
) m
ORDER BY m.seq;

-- LatestChanges are the latest of the ticket, newest first.
-- name: LatestChanges :many
SELECT id, at, actor_email, field, from_value, to_value
FROM ticket_changes WHERE ticket_id = @ticket_id
ORDER BY version DESC, field DESC LIMIT @most::int;
