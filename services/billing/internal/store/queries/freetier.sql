-- FreeMonthDue tells of an account without a subscription, or with one that was never paid, that has not got the free
-- credits of a month, and is not closed.
-- name: FreeMonthDue :one
SELECT (NOT EXISTS (SELECT FROM credit_grants g WHERE g.fact = @fact)
    AND NOT EXISTS (SELECT FROM credit_accounts a WHERE a.user_id = @user_id AND a.closed_at IS NOT NULL)
    AND NOT EXISTS (SELECT FROM subscriptions s WHERE s.user_id = @user_id AND s.status NOT IN ('free', 'processing', 'incomplete')))::boolean AS due;
