-- +goose Up

-- Whether apps that are older than the release have to update, as long as all of them are
-- offered it.
ALTER TABLE releases ADD COLUMN is_required boolean NOT NULL DEFAULT false;
