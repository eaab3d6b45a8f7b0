-- +goose Up

-- What became of the last approval email, and the code of the server's answer if it was not
-- delivered. Whoever has the leave_token, which is in each email, may take the entry's person off
-- the list; left_at is when that was done.
ALTER TABLE waitlist_users
    ADD COLUMN mail        text NOT NULL DEFAULT '' CHECK (mail IN ('', 'waiting', 'sent', 'bounced', 'given_up')),
    ADD COLUMN mail_reply  text NOT NULL DEFAULT '',
    ADD COLUMN leave_token uuid,
    ADD COLUMN left_at     timestamptz;

CREATE UNIQUE INDEX waitlist_users_leave_token ON waitlist_users (leave_token) WHERE leave_token IS NOT NULL;
CREATE INDEX waitlist_users_undelivered ON waitlist_users (created_at DESC, id DESC) WHERE mail IN ('bounced', 'given_up');
