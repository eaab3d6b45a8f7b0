-- Staff's own part of a ticket, which customers never read.

-- EditTicket leaves a priority that staff has set to staff, whatever the customer's plan becomes.
-- name: EditTicket :exec
UPDATE tickets SET priority = @priority, category = @category, assignee_id = sqlc.narg(assignee_id), assignee_email = @assignee_email, tags = @tags,
       updated_at = @updated_at, version = @version, raised_from = CASE WHEN priority = @priority THEN raised_from END
WHERE id = @id;

-- name: MeetStaff :exec
INSERT INTO desk_staff (id, email) VALUES (@id, @email) ON CONFLICT (id) DO UPDATE SET email = excluded.email WHERE desk_staff.email <> excluded.email;

-- StaffMember keeps them one of the staff until the transaction ends: who forgets them waits.
-- name: StaffMember :one
SELECT id, email FROM desk_staff WHERE id = @id FOR KEY SHARE;

-- FreeTickets takes from a member of staff what was theirs, which the history says was by them.
-- name: FreeTickets :exec
WITH theirs AS (
    SELECT id, assignee_email FROM tickets WHERE assignee_id = @member::uuid ORDER BY id FOR UPDATE
), freed AS (
    UPDATE tickets t SET assignee_id = NULL, assignee_email = '', updated_at = @now, version = version + 1
    FROM theirs WHERE t.id = theirs.id
    RETURNING t.id, t.version, theirs.assignee_email
)
INSERT INTO ticket_changes (ticket_id, version, at, actor_id, actor_email, field, from_value, to_value)
SELECT id, version, @now, @member, assignee_email, 'assignee', assignee_email, '' FROM freed;

-- name: DeskStaff :many
SELECT id, email FROM desk_staff ORDER BY email, id LIMIT 200;

-- name: LastNote :one
SELECT id, author_id, author_email, body, created_at FROM ticket_notes WHERE ticket_id = @ticket_id ORDER BY seq DESC LIMIT 1;

-- name: AddNote :exec
INSERT INTO ticket_notes (id, ticket_id, author_id, author_email, body, created_at) VALUES (@id, @ticket_id, @author_id, @author_email, @body, @created_at);

-- LatestNotes are the latest of the ticket, newest first.
-- name: LatestNotes :many
SELECT id, author_id, author_email, body, created_at FROM ticket_notes WHERE ticket_id = @ticket_id ORDER BY seq DESC LIMIT @most::int;

-- EarlierMessages are those before the one with that id, newest first.
-- name: EarlierMessages :many
SELECT id, author, author_email, body, created_at FROM ticket_messages m
WHERE m.ticket_id = @ticket_id AND m.seq < (SELECT b.seq FROM ticket_messages b WHERE b.id = @before AND b.ticket_id = @ticket_id)
ORDER BY m.seq DESC LIMIT @most::int;

-- name: CannedAnswers :many
SELECT id, title, body FROM canned_answers ORDER BY title;

-- AddCannedAnswer adds none to as many as staff can still choose from.
-- name: AddCannedAnswer :execrows
INSERT INTO canned_answers (id, title, body)
SELECT @id, @title, @body WHERE (SELECT count(*) FROM canned_answers) < @most::integer;

-- name: ChangeCannedAnswer :execrows
UPDATE canned_answers SET title = @title, body = @body WHERE id = @id;

-- name: DeleteCannedAnswer :one
DELETE FROM canned_answers WHERE id = @id RETURNING title;
