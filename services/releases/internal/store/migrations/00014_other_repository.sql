-- +goose Up

ALTER TABLE github_sync
    -- Whether another repository has taken the name since staff last enabled a release.
    ADD COLUMN is_other boolean NOT NULL DEFAULT false;
