-- name: ListPlans :many
SELECT id, name, description, monthly_credits, price_monthly, contact_sales, features FROM plans ORDER BY position;
