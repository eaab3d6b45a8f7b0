-- +goose Up

-- Which words somebody has agreed to by a form, and when; source names the form. '' and NULL of whom staff
-- have added or imported, and of those who joined before this was kept. confirmed_at is when they
-- confirmed their address, where that was asked.
ALTER TABLE waitlist_users
    ADD COLUMN consent      text NOT NULL DEFAULT '',
    ADD COLUMN consented_at timestamptz,
    ADD COLUMN confirmed_at timestamptz;

-- Sign-ups whose address is yet to be confirmed, by the link in an email, which has the token. Rows go
-- when they are confirmed, or some days after their last email. One whose person has asked for no more
-- emails stays, so that there are none.
CREATE TABLE unconfirmed (
    id         uuid        PRIMARY KEY,
    -- As in waitlist_users.
    email      text        COLLATE "C" NOT NULL UNIQUE CHECK (octet_length(email) BETWEEN 3 AND 254 AND email = lower(email)),
    source     text        NOT NULL CHECK (source IN ('hero_section', 'cta_section')),
    consent    text        NOT NULL,
    created_at timestamptz NOT NULL,
    token      uuid        NOT NULL UNIQUE DEFAULT gen_random_uuid(),
    -- How many emails there were, when the last one was, until when its link works, and what became of it.
    mails      integer     NOT NULL DEFAULT 1,
    mailed_at  timestamptz NOT NULL,
    ends_at    timestamptz NOT NULL,
    mail       text        NOT NULL DEFAULT 'waiting' CHECK (mail IN ('waiting', 'sent', 'bounced', 'given_up', 'complained', '')),
    mail_reply text        NOT NULL DEFAULT '',
    refused_at timestamptz
);

CREATE INDEX unconfirmed_newest ON unconfirmed (created_at DESC, id DESC);
CREATE INDEX unconfirmed_mailed_at ON unconfirmed (mailed_at);
