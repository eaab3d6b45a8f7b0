-- DecideCase keeps the last decision about an object, and each that was made about one of its causes. It has no row for a
-- cause that was decided about: that decision stays.
-- name: DecideCase :execrows
INSERT INTO accepted_cases (object, causes, decision, decisions, reason, accepted_at)
VALUES (@object, ARRAY[@cause::text], @decision::text, jsonb_build_object(@cause::text, @decision::text), @reason, @now)
ON CONFLICT (object) DO UPDATE SET causes = accepted_cases.causes || EXCLUDED.causes, decision = EXCLUDED.decision, reason = EXCLUDED.reason, accepted_at = EXCLUDED.accepted_at,
    decisions = (SELECT coalesce(jsonb_object_agg(c, accepted_cases.decision), '{}') FROM unnest(accepted_cases.causes) c) || accepted_cases.decisions || EXCLUDED.decisions
WHERE NOT accepted_cases.causes @> EXCLUDED.causes;

-- DecisionsOf are those about an object, for one cause, or for each if that is "".
-- name: DecisionsOf :many
SELECT coalesce(a.decisions ->> c.cause, a.decision)::text AS decision
FROM accepted_cases a LEFT JOIN LATERAL unnest(a.causes) AS c (cause) ON true
WHERE a.object = @object AND (@cause::text = '' OR a.causes IS NULL OR c.cause = @cause);

-- IsAccepted reports whether it was decided about one of some objects, for a cause.
-- name: IsAccepted :one
SELECT EXISTS (SELECT FROM accepted_cases WHERE object = ANY(@objects::text[]) AND (causes IS NULL OR @cause::text = ANY(causes)))::boolean AS accepted;

-- ParkedAbout are the parked events of some object.
-- name: ParkedAbout :many
SELECT id FROM stripe_events WHERE state = 'parked' AND object = @object;

-- PutOddCase keeps since when it is known for this reason.
-- name: PutOddCase :exec
INSERT INTO odd_cases (object, reason, subscription_id, found_at, seen_at) VALUES (@object, @reason, @subscription_id, @now, @now)
ON CONFLICT (object) DO UPDATE SET found_at = CASE WHEN odd_cases.reason = EXCLUDED.reason THEN odd_cases.found_at ELSE EXCLUDED.found_at END,
    reason = EXCLUDED.reason, subscription_id = EXCLUDED.subscription_id, seen_at = EXCLUDED.seen_at;

-- DropOddCase leaves what is known about it for another reason.
-- name: DropOddCase :exec
DELETE FROM odd_cases WHERE object = @object AND reason = @reason;

-- DropOddCases is for what a comparison has not met again.
-- name: DropOddCases :exec
DELETE FROM odd_cases WHERE seen_at < @before;

-- ListCases are what waits for a decision, the oldest first: what parked events are about, and what
-- the last comparison could not apply; all, or one object's. Of several reasons for one object, each is decided about by
-- itself: the oldest first, which no newer one displaces. Given says that credits were given for it, by a fact that begins with gift, and closed that its
-- account takes none any more.
-- name: ListCases :many
WITH cases AS (
    SELECT object, reason, subscription_id, received_at AS since, 1 AS events FROM stripe_events WHERE state = 'parked'
    UNION ALL SELECT object, reason, subscription_id, found_at, 0 FROM odd_cases
), waiting AS (
    SELECT c.object, (array_agg(c.reason ORDER BY c.since, c.reason))[1]::text AS reason, max(c.subscription_id)::text AS subscription_id, min(c.since)::timestamptz AS since,
        sum(c.events)::bigint AS events, coalesce((SELECT s.user_id FROM subscriptions s WHERE s.id = max(c.subscription_id)), '00000000-0000-0000-0000-000000000000')::uuid AS user_id
    FROM cases c
    WHERE @object::text IN ('', c.object) AND NOT EXISTS (SELECT FROM accepted_cases a WHERE a.object = c.object AND (a.causes IS NULL OR c.reason = ANY(a.causes)))
    GROUP BY c.object
)
SELECT w.*, count(*) OVER ()::bigint AS total, EXISTS (SELECT FROM credit_grants g WHERE g.fact = @gift::text || w.object)::boolean AS given,
    EXISTS (SELECT FROM account_states a WHERE a.user_id = w.user_id AND a.state = 'erased')::boolean AS closed
FROM waiting w ORDER BY w.since, w.object LIMIT @count;

-- name: CountCases :one
SELECT count(DISTINCT c.object)
FROM (SELECT object, reason FROM stripe_events WHERE state = 'parked' UNION ALL SELECT object, reason FROM odd_cases) c
WHERE NOT EXISTS (SELECT FROM accepted_cases a WHERE a.object = c.object AND (a.causes IS NULL OR c.reason = ANY(a.causes)));
