-- +goose Up

ALTER TABLE github_sync
    -- GitHub's id of the repository, which stays when it is renamed; NULL until GitHub has said it.
    ADD COLUMN repository_id bigint;
