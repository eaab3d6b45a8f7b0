-- name: ListPlans :many
SELECT id, name, description, monthly_credits, price_monthly, price_yearly, price_fits, yearly_fits, contact_sales, features FROM plans ORDER BY position;

-- SetPriceMonthly changes nothing when it is that already.
-- name: SetPriceMonthly :execrows
UPDATE plans SET price_monthly = @price_monthly WHERE id = @id AND price_monthly <> @price_monthly;

-- name: SetPriceFits :exec
UPDATE plans SET price_fits = @fits WHERE id = @id AND price_fits <> @fits;

-- name: SetYearlyFits :exec
UPDATE plans SET yearly_fits = @fits WHERE id = @id AND yearly_fits <> @fits;

-- SetPriceYearly changes nothing when it is that already.
-- name: SetPriceYearly :execrows
UPDATE plans SET price_yearly = @price_yearly WHERE id = @id AND price_yearly <> @price_yearly;

-- name: ListPlanPrices :many
SELECT price_id, plan_id, period_credits, created_at FROM plan_prices ORDER BY created_at, price_id;

-- PutPlanPrice has no row for a plan that there is not.
-- name: PutPlanPrice :one
INSERT INTO plan_prices (price_id, plan_id, period_credits, created_at) SELECT @price_id, p.id, @period_credits, @now FROM plans p WHERE p.id = @plan_id
ON CONFLICT (price_id) DO UPDATE SET plan_id = EXCLUDED.plan_id, period_credits = EXCLUDED.period_credits
RETURNING price_id;

-- name: DeletePlanPrice :execrows
DELETE FROM plan_prices WHERE price_id = @price_id;
