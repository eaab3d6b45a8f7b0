-- PlansToTell are the accounts whose plan is another than others were told. Of an erased account
-- there is nothing to tell. Of a disabled one others are told when it is enabled again: if it is being
-- erased, they may have forgotten it already.
-- name: PlansToTell :many
SELECT coalesce(now.user_id, told.user_id)::uuid AS user_id, coalesce(now.plan_id, 'free') AS plan_id,
    coalesce(p.priority_support, false) AS priority_support, (a.state IS NOT DISTINCT FROM 'erased')::bool AS erased
FROM (SELECT DISTINCT ON (user_id) user_id, plan_id FROM subscriptions
      WHERE status IN ('active', 'cancelled', 'past_due', 'paused') ORDER BY user_id, status, created_at DESC, id) now
FULL JOIN told_plans told ON told.user_id = now.user_id
LEFT JOIN plans p ON p.id = now.plan_id
LEFT JOIN account_states a ON a.user_id = coalesce(now.user_id, told.user_id)
WHERE now.plan_id IS DISTINCT FROM told.plan_id AND a.state IS DISTINCT FROM 'disabled'
ORDER BY 1 LIMIT @most::int;

-- name: SetToldPlan :exec
INSERT INTO told_plans (user_id, plan_id) VALUES (@user_id, @plan_id) ON CONFLICT (user_id) DO UPDATE SET plan_id = EXCLUDED.plan_id;

-- name: DeleteToldPlan :exec
DELETE FROM told_plans WHERE user_id = @user_id;
