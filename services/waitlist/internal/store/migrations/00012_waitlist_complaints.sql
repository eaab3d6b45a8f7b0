-- +goose Up

-- An email may also be called spam by its reader, which the provider reports.
ALTER TABLE waitlist_users
    DROP CONSTRAINT waitlist_users_mail_check,
    ADD CONSTRAINT waitlist_users_mail_check CHECK (mail IN ('', 'waiting', 'sent', 'bounced', 'given_up', 'complained')) NOT VALID;

ALTER TABLE waitlist_users VALIDATE CONSTRAINT waitlist_users_mail_check;
