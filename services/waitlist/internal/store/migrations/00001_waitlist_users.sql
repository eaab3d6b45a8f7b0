-- +goose Up

-- One row for each address that ever asked to come in. Rows are never deleted: a
-- removed address stays on record as rejected.
CREATE TABLE waitlist_users (
    id         uuid        PRIMARY KEY,
    -- In the one spelling that internal/entry makes: ASCII, lower case. Bytewise
    -- collation keeps the index independent of the system's locale data.
    email      text        COLLATE "C" NOT NULL UNIQUE CHECK (octet_length(email) BETWEEN 3 AND 254 AND email = lower(email)),
    status     text        NOT NULL CHECK (status IN ('pending', 'approved', 'rejected')),
    source     text        NOT NULL CHECK (source IN ('hero_section', 'cta_section', 'admin', 'import')),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    -- Changes of status, plus one.
    version    bigint      NOT NULL DEFAULT 1 CHECK (version >= 1)
);

-- The list is read newest first, for all states or for one.
CREATE INDEX waitlist_users_newest ON waitlist_users (created_at DESC, id DESC);
CREATE INDEX waitlist_users_newest_by_status ON waitlist_users (status, created_at DESC, id DESC);

-- New addresses by UTC day and source, counted from users.joined events.
CREATE TABLE signup_daily (
    day    date   NOT NULL,
    source text   NOT NULL,
    count  bigint NOT NULL CHECK (count > 0),
    PRIMARY KEY (day, source)
);
