-- SetCustomerPlan changes nothing when something newer is known.
-- name: SetCustomerPlan :execrows
INSERT INTO customer_plans (user_id, priority_support, changed_at) VALUES (@user_id, @priority_support, @changed_at)
ON CONFLICT (user_id) DO UPDATE SET priority_support = EXCLUDED.priority_support, changed_at = EXCLUDED.changed_at
WHERE customer_plans.changed_at <= EXCLUDED.changed_at;

-- name: HasPrioritySupport :one
SELECT EXISTS (SELECT FROM customer_plans WHERE user_id = @user_id AND priority_support);

-- RaisePriorities raises what is being worked on, but for tickets whose priority staff has set.
-- name: RaisePriorities :exec
WITH raised AS (
    UPDATE tickets t SET raised_from = priority, priority = 'high', updated_at = @now, version = version + 1
    WHERE user_id = @user_id AND status IN ('open', 'in_progress') AND priority IN ('low', 'medium')
      AND NOT EXISTS (SELECT FROM ticket_changes c WHERE c.ticket_id = t.id AND c.field = 'priority')
    RETURNING id, version, raised_from
)
INSERT INTO ticket_changes (ticket_id, version, at, actor_id, actor_email, field, from_value, to_value)
SELECT id, version, @now, '00000000-0000-0000-0000-000000000000', '', 'plan', raised_from, 'high' FROM raised;

-- LowerPriorities takes that back, also of tickets that were resolved or closed meanwhile.
-- name: LowerPriorities :exec
WITH lowered AS (
    UPDATE tickets SET priority = raised_from, raised_from = NULL, updated_at = @now, version = version + 1
    WHERE user_id = @user_id AND raised_from IS NOT NULL
    RETURNING id, version, priority
)
INSERT INTO ticket_changes (ticket_id, version, at, actor_id, actor_email, field, from_value, to_value)
SELECT id, version, @now, '00000000-0000-0000-0000-000000000000', '', 'plan', 'high', priority FROM lowered;

-- name: ForgetCustomerPlan :exec
DELETE FROM customer_plans WHERE user_id = @user_id;

-- Overdue counts tickets that nobody has answered and whose customers wait since before their priority's moment.
-- name: Overdue :many
SELECT due.priority::text AS priority, count(t.id) AS tickets
FROM unnest(@priorities::text[]) WITH ORDINALITY AS due (priority, place)
LEFT JOIN tickets t ON t.waiting_since IS NOT NULL AND t.answered_at IS NULL AND t.priority = due.priority
    AND t.waiting_since < (@before::timestamptz[])[due.place]
GROUP BY due.priority;
