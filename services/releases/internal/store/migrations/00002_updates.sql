-- +goose Up

ALTER TABLE releases
    -- The part of the installed apps that an available release is offered to.
    ADD COLUMN rollout_percentage smallint NOT NULL DEFAULT 100 CHECK (rollout_percentage BETWEEN 0 AND 100),
    -- GitHub's release notes as plain text.
    ADD COLUMN notes text NOT NULL DEFAULT '',
    -- Nobody works out checksums of the release's archives before this.
    ADD COLUMN checksums_due_at timestamptz NOT NULL DEFAULT '-infinity';

-- NULL while it is not known. Belongs to the bytes that github_id names.
ALTER TABLE release_assets
    ADD COLUMN sha512 text CHECK (sha512 ~ '^[A-Za-z0-9+/]{86}==$');

-- Set when somebody knows that there is news; cleared as a turn begins, so that
-- news which comes during a turn brings another.
ALTER TABLE github_sync
    ADD COLUMN wanted boolean NOT NULL DEFAULT false;

-- Totals of downloads, so that no chart adds up rows. Builds alone.
CREATE TABLE download_days (
    day   date   PRIMARY KEY,
    total bigint NOT NULL CHECK (total > 0)
);

CREATE TABLE download_versions (
    version text   NOT NULL,
    arch    text   NOT NULL,
    total   bigint NOT NULL CHECK (total > 0),
    PRIMARY KEY (version, arch)
);

INSERT INTO download_days (day, total)
SELECT day, sum(count) FROM downloads WHERE arch <> 'other' GROUP BY day;

INSERT INTO download_versions (version, arch, total)
SELECT version, arch, sum(count) FROM downloads WHERE arch <> 'other' GROUP BY version, arch;
