-- KnowHome keeps what is there.
-- name: KnowHome :exec
INSERT INTO stripe_account (account_id, livemode, since) VALUES ('', @livemode, @now) ON CONFLICT (one) DO NOTHING;

-- name: Home :one
SELECT account_id, livemode FROM stripe_account;

-- LockHome has replicas that move wait for each other.
-- name: LockHome :one
SELECT account_id, livemode FROM stripe_account FOR UPDATE;

-- NameHome is for one whose account was not known.
-- name: NameHome :exec
UPDATE stripe_account SET account_id = @account_id WHERE account_id = '';

-- name: MoveHome :exec
UPDATE stripe_account SET account_id = @account_id, livemode = @livemode, since = @now;

-- LeaveCustomers has all accounts buy as new customers. What was read of Stripe before is old now.
-- name: LeaveCustomers :execrows
WITH left_behind AS (
    UPDATE customers c SET customer_id = NULL, syncs = c.syncs + 1
    FROM customers was WHERE was.user_id = c.user_id AND c.customer_id IS NOT NULL
    RETURNING c.user_id, was.customer_id)
INSERT INTO former_customers (customer_id, user_id, deleted_at) SELECT customer_id, user_id, @now FROM left_behind
ON CONFLICT (customer_id) DO NOTHING;

-- name: LeaveSubscriptions :execrows
UPDATE subscriptions SET stripe_status = 'canceled', status = 'free', next_plan_id = NULL, next_at = NULL, ended_at = @now::timestamptz, updated_at = @now WHERE status <> 'free';

-- name: LeavePrices :execrows
DELETE FROM plan_prices;

-- LeaveEvents ends those that could only be asked about elsewhere.
-- name: LeaveEvents :execrows
UPDATE stripe_events SET state = 'wrong_mode', reason = '', ended_at = @now::timestamptz WHERE state IN ('pending', 'parked');

-- PaidGrants are those of subscriptions and packs of which something is left.
-- name: PaidGrants :many
SELECT fact, (remaining - held)::bigint AS amount FROM credit_grants
WHERE series <> '' AND ended_at IS NULL AND remaining > held ORDER BY user_id, id;

-- StandingAnywhere are the subscriptions that Stripe has to know.
-- name: StandingAnywhere :many
SELECT id FROM subscriptions WHERE status <> 'free' AND NOT id = ANY(@seen::text[]) ORDER BY id;

-- EndSubscription is for one that Stripe does not know any more.
-- name: EndSubscription :exec
UPDATE subscriptions SET stripe_status = 'canceled', status = 'free', next_plan_id = NULL, next_at = NULL, ended_at = @now::timestamptz, updated_at = @now WHERE id = @id;
