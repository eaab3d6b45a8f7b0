-- +goose Up

-- An approved entry has an invitation: the link in its email holds the token, of which only
-- the SHA-256 is here. An account with another address that proves with it to be the same
-- person has claimed the entry; claimed_email is the account's address at that time.
ALTER TABLE waitlist_users
    ADD COLUMN invitation_hash bytea CHECK (octet_length(invitation_hash) = 32),
    ADD COLUMN invited_at      timestamptz,
    ADD COLUMN claimed_by      uuid,
    ADD COLUMN claimed_email   text NOT NULL DEFAULT '',
    ADD CONSTRAINT waitlist_users_invitation CHECK ((invitation_hash IS NULL) = (invited_at IS NULL)),
    ADD CONSTRAINT waitlist_users_claim CHECK ((claimed_by IS NULL) = (claimed_email = ''));

CREATE UNIQUE INDEX waitlist_users_invitation_hash ON waitlist_users (invitation_hash) WHERE invitation_hash IS NOT NULL;
CREATE INDEX waitlist_users_claimed_by ON waitlist_users (claimed_by) WHERE claimed_by IS NOT NULL;
