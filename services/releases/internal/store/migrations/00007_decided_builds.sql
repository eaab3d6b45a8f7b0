-- +goose Up

-- Whether the build was there when the release was made available. One that came later is kept as
-- well, so that other bytes of it are noticed, but nobody has decided that Macs get it instead of
-- one that was there.
ALTER TABLE offered_builds ADD COLUMN decided boolean NOT NULL DEFAULT true;
