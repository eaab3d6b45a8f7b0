-- LockTicketsOf has changes that staff is making end first.
-- name: LockTicketsOf :many
SELECT id FROM tickets WHERE user_id = @user_id ORDER BY id FOR UPDATE;

-- name: DeleteChanges :exec
DELETE FROM ticket_changes WHERE ticket_id = ANY (@tickets::uuid[]);

-- name: DeleteMessages :exec
DELETE FROM ticket_messages WHERE ticket_id = ANY (@tickets::uuid[]);

-- name: DeleteTickets :exec
DELETE FROM tickets WHERE id = ANY (@tickets::uuid[]);

-- name: ForgetAuthor :exec
UPDATE ticket_messages SET author_email = '' WHERE author_id = @author_id AND author_email <> '';

-- name: ForgetActor :exec
UPDATE ticket_changes SET actor_email = '' WHERE actor_id = @actor_id AND actor_email <> '';
