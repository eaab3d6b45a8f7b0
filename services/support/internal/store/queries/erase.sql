-- LockTicketsOf has changes that staff is making end first.
-- name: LockTicketsOf :many
SELECT id FROM tickets WHERE user_id = @user_id ORDER BY id FOR UPDATE;

-- name: DeleteChanges :exec
DELETE FROM ticket_changes WHERE ticket_id = ANY (@tickets::uuid[]);

-- name: DeleteMessages :exec
DELETE FROM ticket_messages WHERE ticket_id = ANY (@tickets::uuid[]);

-- name: DeleteNotes :exec
DELETE FROM ticket_notes WHERE ticket_id = ANY (@tickets::uuid[]);

-- name: DeleteTickets :exec
DELETE FROM tickets WHERE id = ANY (@tickets::uuid[]);

-- name: ForgetAuthor :exec
UPDATE ticket_messages SET author_email = '' WHERE author_id = @author_id AND author_email <> '';

-- name: ForgetActor :exec
UPDATE ticket_changes SET actor_email = '' WHERE actor_id = @actor_id AND actor_email <> '';

-- name: ForgetNotesAuthor :exec
UPDATE ticket_notes SET author_email = '' WHERE author_id = @author_id AND author_email <> '';

-- name: ForgetAssignee :exec
UPDATE tickets SET assignee_id = NULL, assignee_email = '' WHERE assignee_id = @id::uuid;

-- ForgetAssignments are lines of the history that name one of the addresses.
-- name: ForgetAssignments :exec
UPDATE ticket_changes SET from_value = CASE WHEN from_value = ANY (@emails::text[]) THEN '' ELSE from_value END,
       to_value = CASE WHEN to_value = ANY (@emails::text[]) THEN '' ELSE to_value END
WHERE field = 'assignee' AND (from_value = ANY (@emails::text[]) OR to_value = ANY (@emails::text[]));

-- name: ForgetStaff :exec
DELETE FROM desk_staff WHERE id = @id;
