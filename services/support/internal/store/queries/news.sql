-- Telling staff that customers wrote.

-- AddNews is for everybody who wants emails, but not for whoever did it.
-- name: AddNews :exec
INSERT INTO staff_news (staff_id, ticket_id, opened, since)
SELECT d.id, @ticket_id, @opened, @since::timestamptz FROM desk_staff d
WHERE d.id <> @by AND coalesce(d.notices, @usual::text) <> 'off'
ON CONFLICT (staff_id, ticket_id) DO NOTHING;

-- StaffWithNews are those whose email is due.
-- name: StaffWithNews :many
SELECT DISTINCT n.staff_id FROM staff_news n LEFT JOIN desk_staff d ON d.id = n.staff_id
WHERE n.since <= CASE coalesce(d.notices, @usual::text) WHEN 'hourly' THEN @an_hour_ago::timestamptz WHEN 'daily' THEN @a_day_ago::timestamptz ELSE @now::timestamptz END
LIMIT @most::int;

-- TakeNews says of each ticket whether its customer is still waiting.
-- name: TakeNews :many
WITH taken AS (DELETE FROM staff_news WHERE staff_id = @staff_id RETURNING ticket_id, opened)
SELECT taken.opened, t.id, t.number, t.category, t.priority, (t.waiting_since IS NOT NULL)::boolean AS waiting
FROM taken JOIN tickets t ON t.id = taken.ticket_id ORDER BY t.number;

-- name: DropNews :exec
DELETE FROM staff_news WHERE staff_id = @staff_id;

-- name: NoticesOf :one
SELECT coalesce(notices, '') FROM desk_staff WHERE id = @id;

-- name: SetNotices :exec
INSERT INTO desk_staff (id, email, notices) VALUES (@id, @email, @notices::text)
ON CONFLICT (id) DO UPDATE SET email = excluded.email, notices = excluded.notices;

-- name: AddWebhookCall :exec
INSERT INTO webhook_calls (id, ticket_id, type, created_at, next_at) VALUES (@id, @ticket_id, @type, @now, @now);

-- name: DueWebhookCalls :many
SELECT w.id, w.type, w.created_at, w.attempts, t.id AS ticket_id, t.number, t.subject, t.category, t.priority
FROM webhook_calls w JOIN tickets t ON t.id = w.ticket_id WHERE w.next_at <= @now ORDER BY w.next_at, w.id LIMIT @most::int;

-- name: EndWebhookCall :exec
DELETE FROM webhook_calls WHERE id = @id;

-- name: PutOffWebhookCall :exec
UPDATE webhook_calls SET attempts = attempts + 1, next_at = @next_at WHERE id = @id;

-- name: OldestWebhookCall :one
SELECT coalesce(min(created_at), @now)::timestamptz FROM webhook_calls;

-- Who has a ticket open.

-- name: SeeTicket :execrows
INSERT INTO ticket_viewers (ticket_id, staff_id, email, writing, seen_at)
SELECT t.id, @staff_id, @email, @writing, @seen_at FROM tickets t WHERE t.id = @ticket_id
ON CONFLICT (ticket_id, staff_id) DO UPDATE SET email = excluded.email, writing = excluded.writing, seen_at = excluded.seen_at;

-- name: OtherViewers :many
SELECT email, writing FROM ticket_viewers WHERE ticket_id = @ticket_id AND staff_id <> @staff_id AND seen_at > @since ORDER BY email LIMIT 20;

-- name: LeaveTicket :exec
DELETE FROM ticket_viewers WHERE ticket_id = @ticket_id AND staff_id = @staff_id;

-- name: DropViewers :exec
DELETE FROM ticket_viewers WHERE seen_at < @before;

-- name: ForgetViewer :exec
DELETE FROM ticket_viewers WHERE staff_id = @staff_id;
