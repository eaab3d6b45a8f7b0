-- Telling staff that customers wrote.

-- AddNews is for everybody who wants emails, but not for whoever did it. A row that is there is
-- locked, so that TakeNews waits for this transaction and then sees what it did to the ticket.
-- name: AddNews :exec
INSERT INTO staff_news (staff_id, ticket_id, since)
SELECT d.id, @ticket_id, @since::timestamptz FROM desk_staff d
WHERE d.id <> @by AND coalesce(d.notices, @usual::text) <> 'off' ORDER BY d.id
ON CONFLICT (staff_id, ticket_id) DO UPDATE SET since = staff_news.since;

-- DropUnwantedNews is for those who want no emails, and those who are unknown.
-- name: DropUnwantedNews :exec
DELETE FROM staff_news n
WHERE NOT EXISTS (SELECT FROM desk_staff d WHERE d.id = n.staff_id AND coalesce(d.notices, @usual::text) <> 'off');

-- StaffWithNews are those whose email is due.
-- name: StaffWithNews :many
SELECT DISTINCT n.staff_id FROM staff_news n JOIN desk_staff d ON d.id = n.staff_id
WHERE n.since <= CASE coalesce(d.notices, @usual::text)
    WHEN 'at_once' THEN @now::timestamptz WHEN 'hourly' THEN @an_hour_ago::timestamptz WHEN 'daily' THEN @a_day_ago::timestamptz END
LIMIT @most::int;

-- name: TakeNews :many
DELETE FROM staff_news WHERE staff_id = @staff_id RETURNING ticket_id, since;

-- WaitingTickets are those of them whose customer is still waiting.
-- name: WaitingTickets :many
SELECT id, number, category, priority, created_at, (answered_at IS NOT NULL)::boolean AS answered
FROM tickets WHERE id = ANY (@ids::uuid[]) AND waiting_since IS NOT NULL ORDER BY number;

-- name: DropNews :exec
DELETE FROM staff_news WHERE staff_id = @staff_id;

-- name: NoticesOf :one
SELECT coalesce(notices, '') FROM desk_staff WHERE id = @id;

-- name: SetNotices :exec
INSERT INTO desk_staff (id, email, notices) VALUES (@id, @email, @notices::text)
ON CONFLICT (id) DO UPDATE SET email = excluded.email, notices = excluded.notices;

-- name: AddWebhookCall :exec
INSERT INTO webhook_calls (id, ticket_id, type, created_at, next_at) VALUES (@id, @ticket_id, @type, @now, @now);

-- DueWebhookCalls are none while one that was refused holds all.
-- name: DueWebhookCalls :many
SELECT w.id, w.type, w.created_at, w.attempts, t.id AS ticket_id, t.number, t.subject, t.category, t.priority
FROM webhook_calls w JOIN tickets t ON t.id = w.ticket_id WHERE w.next_at <= @now
AND NOT EXISTS (SELECT FROM webhook_calls WHERE held_until > @now) ORDER BY w.next_at, w.id LIMIT @most::int;

-- name: EndWebhookCall :exec
DELETE FROM webhook_calls WHERE id = @id;

-- name: PutOffWebhookCall :exec
UPDATE webhook_calls SET attempts = attempts + 1, next_at = @next_at, held_until = sqlc.narg(held_until) WHERE id = @id;

-- name: EndWebhookCalls :exec
DELETE FROM webhook_calls WHERE created_at < @before;

-- name: OldestWebhookCall :one
SELECT coalesce(min(created_at), @now)::timestamptz FROM webhook_calls;

-- Who has a ticket open.

-- SeeTicket returns the ticket's version, and the id of its latest note, "" without one.
-- name: SeeTicket :one
INSERT INTO ticket_viewers (ticket_id, staff_id, email, writing, seen_at)
SELECT t.id, @staff_id, @email, @writing, @seen_at FROM tickets t WHERE t.id = @ticket_id
ON CONFLICT (ticket_id, staff_id) DO UPDATE SET email = excluded.email, writing = excluded.writing, seen_at = excluded.seen_at
RETURNING (SELECT version FROM tickets WHERE id = ticket_viewers.ticket_id)::bigint AS version,
    coalesce((SELECT n.id::text FROM ticket_notes n WHERE n.ticket_id = ticket_viewers.ticket_id ORDER BY n.seq DESC LIMIT 1), '')::text AS last_note;

-- name: OtherViewers :many
SELECT email, writing FROM ticket_viewers WHERE ticket_id = @ticket_id AND staff_id <> @staff_id AND seen_at > @since ORDER BY email LIMIT 20;

-- name: LeaveTicket :exec
DELETE FROM ticket_viewers WHERE ticket_id = @ticket_id AND staff_id = @staff_id;

-- name: DropViewers :exec
DELETE FROM ticket_viewers WHERE seen_at < @before;

-- name: ForgetViewer :exec
DELETE FROM ticket_viewers WHERE staff_id = @staff_id;
