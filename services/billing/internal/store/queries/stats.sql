-- CountStandings counts accounts by the status and plan that they are shown. Of
-- several subscriptions that is the best, and the alphabet happens to rank them.
-- name: CountStandings :many
SELECT status, plan_id, count(*) AS accounts
FROM (SELECT DISTINCT ON (user_id) status, plan_id FROM subscriptions
      WHERE status IN ('active', 'cancelled', 'past_due') ORDER BY user_id, status, created_at DESC) shown
GROUP BY status, plan_id;

-- SpentByDay has a row for each of 30 days in UTC, from first_day on.
-- name: SpentByDay :many
WITH starts AS (
    SELECT @first_day::timestamptz AS first_day
), spent AS (
    SELECT date_bin('1 day', "time", @first_day::timestamptz) AS day, -sum(amount) AS amount
    FROM credit_entries WHERE kind = 'consume' AND "time" >= @first_day::timestamptz GROUP BY 1
)
SELECT (starts.first_day + n * interval '1 day')::timestamptz AS day, coalesce(spent.amount, 0)::bigint AS amount
FROM starts CROSS JOIN generate_series(0, 29) AS n LEFT JOIN spent ON spent.day = starts.first_day + n * interval '1 day'
ORDER BY n;
