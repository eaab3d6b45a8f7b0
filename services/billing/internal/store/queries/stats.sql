-- CountByStatus counts accounts by the status and plan that they are shown. Of
-- several subscriptions that is the best, and the alphabet happens to rank them.
-- name: CountByStatus :many
SELECT status, plan_id, count(*) AS accounts
FROM (SELECT DISTINCT ON (user_id) status, plan_id FROM subscriptions
      WHERE status IN ('active', 'cancelled', 'past_due', 'paused') ORDER BY user_id, status, created_at DESC, id) shown
GROUP BY status, plan_id;

-- MovedBetween adds up what all accounts' entries moved; what was taken is negative there.
-- name: MovedBetween :one
SELECT coalesce(sum(amount) FILTER (WHERE kind = 'grant'), 0)::bigint AS granted,
    coalesce(-sum(amount) FILTER (WHERE kind = 'consume'), 0)::bigint AS spent,
    coalesce(-sum(amount) FILTER (WHERE kind = 'expire'), 0)::bigint AS expired,
    coalesce(-sum(amount) FILTER (WHERE kind = 'clawback'), 0)::bigint AS withdrawn,
    coalesce(sum(amount) FILTER (WHERE kind = 'adjust'), 0)::bigint AS adjusted
FROM credit_entries WHERE "time" >= @since::timestamptz AND "time" < @until::timestamptz;

-- CreditsNow is what all accounts have, and what was spent and then paid back.
-- name: CreditsNow :one
SELECT (SELECT coalesce(sum(balance), 0) FROM credit_accounts)::bigint AS outstanding,
    (SELECT coalesce(sum(owed), 0) FROM credit_grants WHERE owed > 0)::bigint AS owed;

-- SubscriptionGroups are the subscriptions that have not ended, by what they are sold at.
-- name: SubscriptionGroups :many
SELECT s.plan_id, s.price_id, s.status, s.currency, coalesce(s.monthly_amount, 0)::bigint AS monthly_amount, count(*) AS subscriptions
FROM subscriptions s JOIN plans p ON p.id = s.plan_id WHERE s.status <> 'free'
GROUP BY p.position, s.plan_id, s.price_id, s.status, s.currency, s.monthly_amount
ORDER BY p.position, s.price_id, s.status, s.currency, s.monthly_amount;

-- MonthlyRevenue leaves out trials, what is set to end, what is not collected, what was never paid and what Stripe tries to collect no more.
-- name: MonthlyRevenue :many
SELECT currency, sum(monthly_amount)::bigint AS amount FROM subscriptions
WHERE stripe_status IN ('active', 'past_due') AND status NOT IN ('cancelled', 'processing', 'incomplete', 'paused') AND monthly_amount > 0 GROUP BY currency ORDER BY currency;

-- Churn is how many accounts had a subscription at a time, and how many of those have none now. One that has ended and
-- never gave credits was never paid.
-- name: Churn :one
WITH before AS (
    SELECT DISTINCT user_id FROM subscriptions
    WHERE created_at < @since::timestamptz AND stripe_status NOT IN ('incomplete', 'incomplete_expired')
      AND status NOT IN ('processing', 'incomplete') AND (status <> 'free' OR coalesce(ended_at, updated_at) > @since::timestamptz
        AND EXISTS (SELECT FROM credit_grants g WHERE g.series = subscriptions.id AND g.series <> ''))
)
SELECT count(*) AS had, count(*) FILTER (WHERE NOT EXISTS (
    SELECT FROM subscriptions s WHERE s.user_id = before.user_id AND s.status IN ('active', 'cancelled', 'past_due', 'paused'))) AS lost
FROM before;
