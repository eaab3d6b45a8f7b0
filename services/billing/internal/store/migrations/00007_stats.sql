-- +goose Up

-- For the staff's overview: who is shown what, without reading the ended ones.
CREATE INDEX subscriptions_standing ON subscriptions (user_id, status, created_at DESC) INCLUDE (plan_id)
    WHERE status IN ('active', 'cancelled', 'past_due');

-- Entries are only ever added, in the order of their time, so that a few bytes a
-- megabyte tell where the last 30 days are, and a spend costs nothing more.
CREATE INDEX credit_entries_time ON credit_entries USING brin ("time") WITH (pages_per_range = 16, autosummarize = on);
