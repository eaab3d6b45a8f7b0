-- +goose Up

-- Which plans come with priority support, as the pricing says.
ALTER TABLE plans ADD COLUMN priority_support boolean NOT NULL DEFAULT false;
UPDATE plans SET priority_support = true WHERE id IN ('pro', 'business', 'enterprise');

-- The plan that other services were last told of; an account without a row is on the free plan.
CREATE TABLE told_plans (
    user_id uuid PRIMARY KEY,
    plan_id text NOT NULL REFERENCES plans
);
