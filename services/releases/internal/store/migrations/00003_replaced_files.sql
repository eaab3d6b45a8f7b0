-- +goose Up

ALTER TABLE releases
    -- When builds of an available release were uploaded again with other bytes, which made it
    -- unavailable; NULL as soon as staff enable it again.
    ADD COLUMN replaced_at timestamptz,
    -- Since when the rollout rises by itself; NULL when it does not.
    ADD COLUMN ramp_started_at timestamptz;

-- The builds as they were when the release was made available: another upload under a name
-- that is here is noticed, even when the file was away for a while.
CREATE TABLE offered_builds (
    version   text   NOT NULL REFERENCES releases ON DELETE CASCADE,
    name      text   NOT NULL,
    github_id bigint NOT NULL,
    digest    text   NOT NULL,
    PRIMARY KEY (version, name)
);

INSERT INTO offered_builds (version, name, github_id, digest)
SELECT a.version, a.name, a.github_id, a.digest
FROM release_assets a
JOIN releases r ON r.version = a.version AND r.is_available
WHERE lower(a.name) LIKE '%.zip' OR lower(a.name) LIKE '%.dmg';
