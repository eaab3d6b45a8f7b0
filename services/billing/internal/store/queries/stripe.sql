-- name: BindCustomer :exec
INSERT INTO customers (user_id, customer_id, created_at) VALUES (@user_id, @customer_id::text, @now)
ON CONFLICT (user_id) DO UPDATE SET customer_id = EXCLUDED.customer_id WHERE customers.customer_id IS NULL;

-- CustomerOf has '' for an account whose customer was deleted, and how many were.
-- name: CustomerOf :one
SELECT coalesce(c.customer_id, '')::text AS customer_id, (SELECT count(*) FROM former_customers f WHERE f.user_id = c.user_id) AS former
FROM customers c WHERE c.user_id = @user_id;

-- name: AccountOfCustomer :one
SELECT c.user_id, c.syncs, coalesce((SELECT s.state FROM account_states s WHERE s.user_id = c.user_id), 'active')::text AS state
FROM (SELECT now.user_id, now.syncs FROM customers now WHERE now.customer_id = @customer_id::text
      UNION ALL
      SELECT was.user_id, was.syncs FROM former_customers f JOIN customers was ON was.user_id = f.user_id WHERE f.customer_id = @customer_id::text
      LIMIT 1) c;

-- AccountOfSubscription has all customers that the account is or was.
-- name: AccountOfSubscription :one
SELECT c.user_id, c.syncs, array_remove(c.customer_id || ARRAY(SELECT f.customer_id FROM former_customers f WHERE f.user_id = c.user_id), NULL)::text[] AS customers,
    coalesce((SELECT a.state FROM account_states a WHERE a.user_id = c.user_id), 'active')::text AS state
FROM customers c JOIN subscriptions s USING (user_id) WHERE s.id = @id;

-- name: ReleaseCustomer :exec
WITH released AS (UPDATE customers SET customer_id = NULL WHERE customer_id = @customer_id::text RETURNING user_id)
INSERT INTO former_customers (customer_id, user_id, deleted_at) SELECT @customer_id::text, user_id, @now FROM released
ON CONFLICT (customer_id) DO NOTHING;

-- HadSubscription tells of one of the account's that has given credits, whichever customer it was
-- then. One that was never paid gives none; a trial does.
-- name: HadSubscription :one
SELECT EXISTS (SELECT FROM subscriptions s JOIN credit_grants g ON g.series = s.id AND g.series <> '' WHERE s.user_id = @user_id)::boolean AS had;

-- name: StandingSubscriptions :many
SELECT id FROM subscriptions WHERE user_id = @user_id AND status <> 'free' ORDER BY id;

-- LockAccount makes whoever applies something to an account wait for each other. Who had to
-- wait gets the newest count, and perhaps a state from before.
-- name: LockAccount :one
SELECT c.syncs, coalesce((SELECT s.state FROM account_states s WHERE s.user_id = c.user_id), 'active')::text AS state
FROM customers c WHERE c.user_id = @user_id FOR UPDATE;

-- name: CountSync :exec
UPDATE customers SET syncs = syncs + 1 WHERE user_id = @user_id;

-- name: PutSubscription :exec
INSERT INTO subscriptions (id, user_id, stripe_status, status, plan_id, price_id, period_start, period_end, cancel_at, next_plan_id, next_at, interval, interval_count, next_interval,
    due_amount, due_currency, due_since, due_processing, monthly_amount, period_amount, currency, ended_at, created_at, updated_at)
VALUES (@id, @user_id, @stripe_status, @status, @plan_id, @price_id, @period_start, @period_end, sqlc.narg(cancel_at), sqlc.narg(next_plan_id), sqlc.narg(next_at), @interval, @interval_count, @next_interval,
    @due_amount, @due_currency, sqlc.narg(due_since), @due_processing, @monthly_amount::bigint, @period_amount::bigint, @currency, sqlc.narg(ended_at), @created_at, @now)
ON CONFLICT (id) DO UPDATE SET stripe_status = EXCLUDED.stripe_status, status = EXCLUDED.status, plan_id = EXCLUDED.plan_id,
    price_id = EXCLUDED.price_id, period_start = EXCLUDED.period_start, period_end = EXCLUDED.period_end,
    cancel_at = EXCLUDED.cancel_at, next_plan_id = EXCLUDED.next_plan_id, next_at = EXCLUDED.next_at,
    interval = EXCLUDED.interval, interval_count = EXCLUDED.interval_count, next_interval = EXCLUDED.next_interval,
    due_amount = EXCLUDED.due_amount, due_currency = EXCLUDED.due_currency, due_since = EXCLUDED.due_since, due_processing = EXCLUDED.due_processing,
    monthly_amount = EXCLUDED.monthly_amount, period_amount = EXCLUDED.period_amount, currency = EXCLUDED.currency, ended_at = EXCLUDED.ended_at, updated_at = EXCLUDED.updated_at;

-- name: ListSubscriptions :many
SELECT id, stripe_status, status, plan_id, price_id, period_start, period_end, cancel_at, next_plan_id, next_at, interval, interval_count, next_interval, due_amount, due_currency, due_since, due_processing, created_at, coalesce(period_amount, 0)::bigint AS period_amount, currency FROM subscriptions
WHERE user_id = @user_id ORDER BY created_at DESC, id LIMIT 100;

-- name: GetSubscription :one
SELECT id, stripe_status, status, plan_id, price_id, period_start, period_end, cancel_at, next_plan_id, next_at, next_interval, due_since, due_processing, created_at, monthly_amount, period_amount, interval_count FROM subscriptions WHERE id = @id;

-- name: KnownFacts :many
SELECT fact FROM credit_grants WHERE fact = ANY(@facts::text[]);

-- GrantedFacts are those that are known, and whether their account is erased.
-- name: GrantedFacts :many
SELECT g.fact, EXISTS (SELECT FROM account_states s WHERE s.user_id = g.user_id AND s.state = 'erased')::boolean AS erased
FROM credit_grants g WHERE g.fact = ANY(@facts::text[]);

-- name: GrantedInvoices :many
SELECT DISTINCT split_part(reference, '/', 1)::text AS invoice FROM credit_grants WHERE split_part(reference, '/', 1) = ANY(@invoices::text[]);

-- name: AddEvent :execrows
INSERT INTO stripe_events (id, type, object, livemode, created_at, received_at, state)
VALUES (@id, @type, @object, @livemode, @created_at, @now, @state) ON CONFLICT (id) DO NOTHING;

-- name: AttemptEvent :one
UPDATE stripe_events SET attempts = attempts + 1 WHERE id = @id AND state = 'pending' RETURNING type, object;

-- name: EndEvent :exec
UPDATE stripe_events SET state = @state, reason = @reason, subscription_id = @subscription_id, ended_at = @now::timestamptz WHERE id = @id AND state = 'pending';

-- ParkedWarnings are the early fraud warnings that wait for a decision.
-- name: ParkedWarnings :many
SELECT DISTINCT object FROM stripe_events WHERE state = 'parked' AND reason = @reason;

-- EndWarning is for one that waits no more.
-- name: EndWarning :exec
UPDATE stripe_events SET state = @state, reason = '', subscription_id = '', ended_at = @now::timestamptz WHERE state = 'parked' AND reason = @reason AND object = @object;

-- RequeueParked makes parked events pending again: those with an id of ids, or all
-- without any, of one reason unless it is ''.
-- name: RequeueParked :many
UPDATE stripe_events SET state = 'pending', reason = '', subscription_id = '', ended_at = NULL
WHERE state = 'parked' AND (cardinality(@ids::text[]) = 0 OR id = ANY(@ids::text[])) AND (@reason::text = '' OR reason = @reason)
RETURNING id;
