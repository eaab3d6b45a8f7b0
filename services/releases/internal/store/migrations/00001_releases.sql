-- +goose Up

-- Releases by version. What GitHub says is mirrored; is_available is ours.
CREATE TABLE releases (
    version              text        PRIMARY KEY CHECK (length(version) BETWEEN 5 AND 64),
    -- NULL while GitHub does not list the release. The row stays: should the
    -- version come back, so does our decision about it.
    github_id            bigint      UNIQUE,
    name                 text        NOT NULL CHECK (name <> ''),
    prerelease           boolean     NOT NULL,
    published_at         timestamptz NOT NULL,
    is_available         boolean     NOT NULL,
    -- Counts the changes of is_available; orders their events.
    availability_version bigint      NOT NULL DEFAULT 0
);

CREATE TABLE release_assets (
    version        text   NOT NULL REFERENCES releases ON DELETE CASCADE,
    name           text   NOT NULL,
    github_id      bigint NOT NULL,
    size           bigint NOT NULL CHECK (size >= 0),
    url            text   NOT NULL,
    digest         text   NOT NULL,
    download_count bigint NOT NULL CHECK (download_count >= 0),
    PRIMARY KEY (version, name)
);

-- Downloads that started at our own links, by day (UTC). No reference to
-- releases: the count outlives them.
CREATE TABLE downloads (
    day      date   NOT NULL,
    version  text   NOT NULL,
    filename text   NOT NULL,
    arch     text   NOT NULL,
    count    bigint NOT NULL CHECK (count > 0),
    PRIMARY KEY (day, version, filename)
);

-- Whose turn it is to ask GitHub. One row for each repository ever mirrored.
CREATE TABLE github_sync (
    repository    text        PRIMARY KEY,
    -- When GitHub last answered.
    last_check_at timestamptz,
    -- When to ask again of our own accord.
    due_at        timestamptz NOT NULL,
    -- Nobody asks before this: another replica is at it, or GitHub needs rest.
    held_until    timestamptz NOT NULL,
    -- Failures since the last answer.
    failures      integer     NOT NULL DEFAULT 0
);

-- GitHub's last answers, for conditional requests.
CREATE TABLE github_pages (
    url  text  PRIMARY KEY,
    etag text  NOT NULL,
    link text  NOT NULL,
    body bytea NOT NULL
);
