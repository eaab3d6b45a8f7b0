-- CountStandings counts accounts by the status and plan that they are shown. Of
-- several subscriptions that is the best, and the alphabet happens to rank them.
-- name: CountStandings :many
SELECT status, plan_id, count(*) AS accounts
FROM (SELECT DISTINCT ON (user_id) status, plan_id FROM subscriptions
      WHERE status IN ('active', 'cancelled', 'past_due') ORDER BY user_id, status, created_at DESC) shown
GROUP BY status, plan_id;

-- name: SpentBetween :one
SELECT coalesce(-sum(amount), 0)::bigint AS spent
FROM credit_entries WHERE kind = 'consume' AND "time" >= @since::timestamptz AND "time" < @until::timestamptz;
