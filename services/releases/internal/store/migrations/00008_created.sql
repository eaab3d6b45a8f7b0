-- +goose Up

ALTER TABLE releases
    -- GitHub's date of the commit that the tag names, by which it orders its list; NULL until it
    -- lists the release again.
    ADD COLUMN created_at timestamptz,
    -- Whether it was a prerelease when staff made it available: a decision is about a channel. NULL
    -- for releases from before this was kept, until the next sync.
    ADD COLUMN offered_prerelease boolean,
    -- When an available prerelease was made unavailable because GitHub marks it so no more; NULL as
    -- soon as staff enable it again.
    ADD COLUMN promoted_at timestamptz;
