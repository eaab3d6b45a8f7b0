-- +goose Up

-- When a wave last went on or was changed, and whether it is paused because who started it is no admin
-- any more.
ALTER TABLE waves
    ADD COLUMN changed_at        timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN starter_lost_role boolean NOT NULL DEFAULT false;
