-- +goose Up

-- When a wave last went on or was changed, NULL for one that has not since this is kept, and whether
-- it is paused because who started or last resumed it is no admin any more.
ALTER TABLE waves
    ADD COLUMN changed_at        timestamptz,
    ADD COLUMN starter_lost_role boolean NOT NULL DEFAULT false;
