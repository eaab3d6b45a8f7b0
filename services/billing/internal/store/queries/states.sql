-- KnowState gives an account a row that can be locked.
-- name: KnowState :exec
INSERT INTO account_states (user_id, state, since) VALUES (@user_id, 'active', 'epoch') ON CONFLICT (user_id) DO NOTHING;

-- IsAccount is for those that billing has heard of.
-- name: IsAccount :one
SELECT (EXISTS (SELECT FROM customers c WHERE c.user_id = @user_id) OR EXISTS (SELECT FROM credit_accounts a WHERE a.user_id = @user_id)
    OR EXISTS (SELECT FROM account_states s WHERE s.user_id = @user_id))::boolean AS known;

-- StateForBinding lets nobody change it meanwhile.
-- name: StateForBinding :one
SELECT state FROM account_states WHERE user_id = @user_id FOR SHARE;

-- StateForStripe keeps others from asking Stripe to act on the state.
-- name: StateForStripe :one
SELECT state, renews FROM account_states WHERE user_id = @user_id FOR NO KEY UPDATE;

-- SetState changes nothing when the account is erased, or when something newer is known.
-- The same event may come again, and takes back nothing that an admin has allowed since.
-- name: SetState :execrows
INSERT INTO account_states (user_id, state, since) VALUES (@user_id, @state, @since)
ON CONFLICT (user_id) DO UPDATE SET state = EXCLUDED.state, since = EXCLUDED.since,
    renews = account_states.renews AND account_states.state = EXCLUDED.state AND account_states.since = EXCLUDED.since
WHERE account_states.state <> 'erased' AND account_states.since <= EXCLUDED.since;

-- name: SetRenews :exec
UPDATE account_states SET renews = @renews WHERE user_id = @user_id;

-- DisabledRenews is for disabled accounts.
-- name: DisabledRenews :one
SELECT renews FROM account_states WHERE user_id = @user_id AND state = 'disabled';

-- MayPay is for accounts that are neither disabled nor erased.
-- name: MayPay :one
SELECT NOT EXISTS (SELECT FROM account_states WHERE user_id = @user_id AND state IN ('disabled', 'erased'));

-- SetErased changes nothing when it is: whoever comes second waits for the first.
-- name: SetErased :execrows
INSERT INTO account_states (user_id, state, since) VALUES (@user_id, 'erased', @since)
ON CONFLICT (user_id) DO UPDATE SET state = 'erased', renews = false, since = EXCLUDED.since
WHERE account_states.state <> 'erased';

-- ErasedSince is for those who are.
-- name: ErasedSince :one
SELECT since FROM account_states WHERE user_id = @user_id AND state = 'erased';

-- CustomersOf are all that the account is and was at Stripe.
-- name: CustomersOf :many
SELECT c.customer_id::text FROM customers c WHERE c.user_id = @user_id AND c.customer_id IS NOT NULL
UNION SELECT f.customer_id FROM former_customers f WHERE f.user_id = @user_id;

-- KnowAccount gives an account that never bought anything a row.
-- name: KnowAccount :exec
INSERT INTO customers (user_id, created_at) VALUES (@user_id, @now) ON CONFLICT (user_id) DO NOTHING;

-- KeepCustomers has what Stripe says later of customers that it has deleted come to the
-- account.
-- name: KeepCustomers :exec
WITH released AS (UPDATE customers SET customer_id = NULL WHERE user_id = @user_id)
INSERT INTO former_customers (customer_id, user_id, deleted_at) SELECT unnest(@customers::text[]), @user_id::uuid, @now::timestamptz
ON CONFLICT (customer_id) DO NOTHING;

-- EndSubscriptions is for those that were cancelled at Stripe at once.
-- name: EndSubscriptions :exec
UPDATE subscriptions SET stripe_status = 'canceled', status = 'free', next_plan_id = NULL, next_at = NULL, ended_at = @now::timestamptz, updated_at = @now WHERE user_id = @user_id AND status <> 'free';
