-- +goose Up

-- The plan that a subscription changes to with its next period, and when; none when it stays.
ALTER TABLE subscriptions ADD COLUMN next_plan_id text REFERENCES plans,
    ADD COLUMN next_at timestamptz,
    ADD CONSTRAINT next_plan_at CHECK ((next_plan_id IS NULL) = (next_at IS NULL));
