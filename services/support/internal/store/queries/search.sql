-- name: IndexTicket :exec
INSERT INTO ticket_search (ticket_id, version, folding, folded, grams) VALUES (@ticket_id, @version, @folding, @folded, @grams)
ON CONFLICT (ticket_id) DO UPDATE SET version = excluded.version, folding = excluded.folding, folded = excluded.folded, grams = excluded.grams;

-- OutdateTickets leaves the tickets to the task that indexes.
-- name: OutdateTickets :exec
UPDATE ticket_search SET version = 0 WHERE ticket_id = ANY (@ids::uuid[]);

-- name: NotesOf :many
SELECT ticket_id, body FROM ticket_notes WHERE ticket_id = ANY (@ids::uuid[]) ORDER BY seq;

-- LockOutdated are the next tickets that a search does not see as they are, the newest first.
-- name: LockOutdated :many
SELECT t.id, t.number, t.user_id, t.user_email, t.category, t.priority, t.status, t.subject, t.message, t.app_version,
       t.operating_system, t.created_at, t.updated_at, t.version, t.last_message_at, t.last_message_by, t.waiting_since, t.answered_at, t.assignee_id, t.assignee_email, t.tags
FROM tickets t LEFT JOIN ticket_search s ON s.ticket_id = t.id
WHERE (s.ticket_id IS NULL OR s.version <> t.version OR s.folding <> @folding)
  AND (t.created_at, t.id) < (@before_created_at::timestamptz, @before_id::uuid)
ORDER BY t.created_at DESC, t.id DESC
LIMIT @most::int FOR UPDATE OF t SKIP LOCKED;

-- LookAtNewest says of each of the next tickets whether it has the words.
-- name: LookAtNewest :many
SELECT next.id, next.created_at, coalesce(s.folded LIKE @pattern, false)::bool AS hit
FROM (
    SELECT p.id, p.created_at FROM tickets p
    WHERE (@status::text = '' OR p.status = @status) AND (@category::text = '' OR p.category = @category)
      AND (@priority::text = '' OR p.priority = @priority) AND (@tag::text = '' OR p.tags @> ARRAY[@tag::text])
      AND (@queue::text <> 'waiting' OR p.waiting_since IS NOT NULL)
      AND (@queue::text <> 'mine' OR (p.assignee_id = @caller::uuid AND p.status IN ('open', 'in_progress')))
      AND (@queue::text <> 'unassigned' OR (p.assignee_id IS NULL AND p.status IN ('open', 'in_progress')))
      AND (p.created_at, p.id) < (@before_created_at::timestamptz, @before_id::uuid)
    ORDER BY p.created_at DESC, p.id DESC
    LIMIT @most::int
) next LEFT JOIN ticket_search s ON s.ticket_id = next.id
ORDER BY next.created_at DESC, next.id DESC;

-- IsFolded tells whether all tickets are folded by the rules of now: their grams have what those before had not.
-- name: IsFolded :one
SELECT NOT EXISTS (SELECT FROM ticket_search WHERE folding <> @folding);

-- CountCandidates counts the tickets that have all the grams, up to a number of them.
-- name: CountCandidates :one
SELECT count(*) FROM (SELECT FROM ticket_search WHERE grams @> @grams::int[] LIMIT @most::int) counted;

-- FindAmongCandidates returns the next that have the words, among those that have all the grams, which
-- the index finds once. Few of them may have the words: so the texts are read one by one, in the order
-- of the list, until there are enough. It looks up each candidate: for a few of them.
-- name: FindAmongCandidates :many
WITH candidate AS MATERIALIZED (
    SELECT ticket_id FROM ticket_search WHERE grams @> @grams::int[]
)
SELECT next.id
FROM (
    SELECT p.id, p.created_at FROM candidate c JOIN tickets p ON p.id = c.ticket_id
    WHERE (@status::text = '' OR p.status = @status) AND (@category::text = '' OR p.category = @category)
      AND (@priority::text = '' OR p.priority = @priority) AND (@tag::text = '' OR p.tags @> ARRAY[@tag::text])
      AND (@queue::text <> 'waiting' OR p.waiting_since IS NOT NULL)
      AND (@queue::text <> 'mine' OR (p.assignee_id = @caller::uuid AND p.status IN ('open', 'in_progress')))
      AND (@queue::text <> 'unassigned' OR (p.assignee_id IS NULL AND p.status IN ('open', 'in_progress')))
      AND (p.created_at, p.id) < (@before_created_at::timestamptz, @before_id::uuid)
    ORDER BY p.created_at DESC, p.id DESC
) next CROSS JOIN LATERAL (
    SELECT s.folded LIKE @pattern AS hit FROM ticket_search s WHERE s.ticket_id = next.id
    LIMIT 1 -- keeps the join from reading all texts first
) text
WHERE text.hit
ORDER BY next.created_at DESC, next.id DESC
LIMIT @most::int;

-- WalkCandidates is the same for many candidates: it walks along the index of the list, which has its
-- order and its filters, and passes those that are none by.
-- name: WalkCandidates :many
WITH candidate AS MATERIALIZED (
    SELECT ticket_id FROM ticket_search WHERE grams @> @grams::int[]
)
SELECT next.id
FROM (
    SELECT p.id, p.created_at FROM tickets p
    WHERE (@status::text = '' OR p.status = @status) AND (@category::text = '' OR p.category = @category)
      AND (@priority::text = '' OR p.priority = @priority) AND (@tag::text = '' OR p.tags @> ARRAY[@tag::text])
      AND (@queue::text <> 'waiting' OR p.waiting_since IS NOT NULL)
      AND (@queue::text <> 'mine' OR (p.assignee_id = @caller::uuid AND p.status IN ('open', 'in_progress')))
      AND (@queue::text <> 'unassigned' OR (p.assignee_id IS NULL AND p.status IN ('open', 'in_progress')))
      AND (p.created_at, p.id) < (@before_created_at::timestamptz, @before_id::uuid)
      AND (p.id IN (SELECT ticket_id FROM candidate)) IS TRUE -- keeps it from becoming a join
    ORDER BY p.created_at DESC, p.id DESC
) next CROSS JOIN LATERAL (
    SELECT s.folded LIKE @pattern AS hit FROM ticket_search s WHERE s.ticket_id = next.id
    LIMIT 1 -- keeps the join from reading all texts first
) text
WHERE text.hit
ORDER BY next.created_at DESC, next.id DESC
LIMIT @most::int;

-- TicketsByID are a page of those.
-- name: TicketsByID :many
SELECT id, number, user_id, user_email, category, priority, status, subject, message, app_version, operating_system,
       created_at, updated_at, version, last_message_at, last_message_by, waiting_since, answered_at, assignee_id, assignee_email, tags
FROM tickets WHERE id = ANY (@ids::uuid[])
ORDER BY CASE WHEN @sort::text = 'waiting' THEN waiting_since END, created_at DESC, id DESC
LIMIT @page_size::int OFFSET @skip::int;
