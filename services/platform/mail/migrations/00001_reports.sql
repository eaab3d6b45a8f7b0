-- +goose Up

-- What the provider has reported about addresses after it took an email. The id is made of the
-- provider's and the address; lifted_at is when it was over. Addresses are in lower case, with the
-- domain in ASCII.
CREATE TABLE mail.reports (
    id          uuid PRIMARY KEY,
    address     text NOT NULL COLLATE "C",
    kind        text NOT NULL CHECK (kind IN ('bounced', 'complained', 'unsubscribed')),
    reason      text NOT NULL,
    reported_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    lifted_at   timestamptz
);

CREATE INDEX reports_address ON mail.reports (address, reported_at DESC);

-- The emails to an address are looked for by whoever reads or erases what is known of it.
CREATE INDEX river_job_recipient ON mail.river_job (lower(args->'message'->>'To'));
