-- What a person takes along. The names of the fields are for them to understand. The tables have
-- hundredths of a credit and cents; of a subscription, Stripe's amounts in the smallest unit of its currency.

-- name: ExportStanding :many
SELECT json_build_object('user_id', user_id, 'state', state, 'since', since, 'renews_while_disabled', renews)::json
FROM account_states WHERE user_id = @user_id;

-- name: ExportCustomers :many
SELECT json_build_object('user_id', c.user_id, 'customer_id', c.customer_id, 'created_at', c.created_at, 'deleted_at', NULL::timestamptz)::json
FROM customers c WHERE c.user_id = @user_id
UNION ALL
SELECT json_build_object('user_id', f.user_id, 'customer_id', f.customer_id, 'created_at', NULL::timestamptz, 'deleted_at', f.deleted_at)::json
FROM former_customers f WHERE f.user_id = @user_id;

-- name: ExportSubscriptions :many
SELECT json_build_object(
    'id', s.id, 'user_id', s.user_id, 'plan', s.plan_id, 'status', s.status, 'status_at_stripe', s.stripe_status, 'price_id', s.price_id,
    'price_of_plan_per_month', round(p.price_monthly / 100.0, 2), 'currency', 'USD', 'period_start', s.period_start,
    'period_end', s.period_end, 'ends_at', s.cancel_at, 'next_plan', s.next_plan_id, 'next_plan_from', s.next_at, 'interval', s.interval, 'interval_count', s.interval_count, 'next_interval', s.next_interval,
    'overdue_amount', round(s.due_amount / unit.size, 2), 'overdue_currency', s.due_currency, 'overdue_since', s.due_since, 'payment_on_its_way', s.due_processing,
    'charged_per_month', round(s.monthly_amount / unit.size, 2), 'charged_each_time', round(s.period_amount / unit.size, 2), 'charged_currency', s.currency,
    'created_at', s.created_at, 'updated_at', s.updated_at, 'ended_at', s.ended_at)::json
FROM subscriptions s JOIN plans p ON p.id = s.plan_id
    CROSS JOIN LATERAL (SELECT CASE WHEN coalesce(nullif(s.currency, ''), s.due_currency) = ANY(@whole::text[]) THEN 1.0
        WHEN coalesce(nullif(s.currency, ''), s.due_currency) = ANY(@thousandths::text[]) THEN 1000.0 ELSE 100.0 END AS size) unit
WHERE s.user_id = @user_id ORDER BY s.created_at, s.id;

-- name: ExportCredits :many
SELECT json_build_object(
    'user_id', user_id, 'balance', round(balance / 100.0, 2), 'held', round(held / 100.0, 2), 'entries', entries,
    'updated_at', updated_at, 'next_end_at', next_due, 'closed_at', closed_at)::json
FROM credit_accounts WHERE user_id = @user_id;

-- name: ExportCreditEntries :many
SELECT number::text AS key, json_build_object(
    'user_id', user_id, 'number', number, 'time', "time", 'kind', kind, 'credits', round(amount / 100.0, 2),
    'balance_after', round(balance_after / 100.0, 2), 'description', description, 'grants', grant_ids,
    'credits_of_each', ARRAY(SELECT round(p.part / 100.0, 2) FROM unnest(parts) WITH ORDINALITY AS p (part, i) ORDER BY p.i))::json AS fields
FROM credit_entries
WHERE user_id = @user_id AND number > coalesce(nullif(@after::text, ''), '0')::bigint
ORDER BY number LIMIT @count::int;

-- name: ExportGrants :many
SELECT id::text AS key, json_build_object(
    'id', id, 'user_id', user_id, 'fact', fact, 'series', series, 'replaces_the_one_before', replaces, 'reference', reference,
    'description', description, 'credits', round(amount / 100.0, 2), 'remaining', round(remaining / 100.0, 2), 'held', round(held / 100.0, 2),
    'withdrawn', round(withdrawn / 100.0, 2), 'owed', round(owed / 100.0, 2), 'period_start', period_start, 'period_end', period_end,
    'expires_at', expires_at, 'created_at', created_at, 'ended_at', ended_at)::json AS fields
FROM credit_grants
WHERE user_id = @user_id AND id > coalesce(nullif(@after::text, ''), '0')::bigint
ORDER BY id LIMIT @count::int;

-- name: ExportHolds :many
SELECT id::text AS key, json_build_object(
    'id', id, 'user_id', user_id, 'credits', round(amount / 100.0, 2), 'description', description, 'grants', grant_ids,
    'credits_of_each', ARRAY(SELECT round(p.part / 100.0, 2) FROM unnest(parts) WITH ORDINALITY AS p (part, i) ORDER BY p.i),
    'created_at', created_at, 'expires_at', expires_at, 'ended_at', ended_at, 'outcome', outcome, 'cost', round(cost / 100.0, 2))::json AS fields
FROM credit_holds
WHERE user_id = @user_id AND id > coalesce(nullif(@after::text, ''), '00000000-0000-0000-0000-000000000000')::uuid
ORDER BY id LIMIT @count::int;

-- name: ExportSpendRequests :many
SELECT key::text AS key, json_build_object(
    'user_id', user_id, 'key', key, 'method', method, 'credits', round(amount / 100.0, 2), 'description', description,
    'lifetime_seconds', lifetime_seconds, 'created_at', created_at)::json AS fields
FROM credit_keys
WHERE user_id = @user_id AND key > @after::text
ORDER BY credit_keys.key LIMIT @count::int;

-- ExportCorrections has no page: refunds and disputes are few.
-- name: ExportCorrections :many
SELECT json_build_object(
    'fact', w.fact, 'user_id', w.user_id, 'kind', 'withdrawal', 'grant', w.grant_id, 'asked', round(w.asked / 100.0, 2),
    'credits', round(w.wanted / 100.0, 2), 'done', round(w.taken / 100.0, 2), 'created_at', w.created_at)::json
FROM credit_withdrawals w WHERE w.user_id = @user_id
UNION ALL
SELECT json_build_object(
    'fact', r.fact, 'user_id', r.user_id, 'kind', 'restoration', 'grant', r.grant_id, 'asked', NULL::numeric,
    'credits', round(r.amount / 100.0, 2), 'done', round(r.given / 100.0, 2), 'created_at', r.created_at)::json
FROM credit_restorations r WHERE r.user_id = @user_id;

-- name: ExportPayments :many
SELECT grant_id::text AS key, json_build_object(
    'grant_id', grant_id, 'user_id', user_id, 'invoice', invoice, 'amount', round(amount / 100.0, 2), 'currency', currency)::json AS fields
FROM credit_payments
WHERE user_id = @user_id AND grant_id > coalesce(nullif(@after::text, ''), '0')::bigint
ORDER BY grant_id LIMIT @count::int;

-- name: ExportPacksOnTheirWay :many
SELECT json_build_object('checkout_id', checkout_id, 'user_id', user_id, 'credits', round(credits / 100.0, 2), 'since', since)::json
FROM packs_on_their_way WHERE user_id = @user_id ORDER BY since, checkout_id;

-- name: ExportNotices :many
SELECT key, json_build_object('user_id', user_id, 'key', key, 'kind', kind, 'says', says, 'noted_at', noted_at, 'ended_at', ended_at)::json AS fields
FROM notices WHERE user_id = @user_id AND key > @after::text ORDER BY key LIMIT @count::int;
