-- +goose Up

-- Staff disable accounts, too. Kratos follows: kratos_state is what it is still to be told,
-- and state_set_at when staff last decided.
ALTER TABLE users ADD COLUMN kratos_state text CHECK (kratos_state IN ('active', 'inactive'));
ALTER TABLE users ADD COLUMN state_set_at timestamptz;
ALTER TABLE users DROP CONSTRAINT users_disabled_because_check;
ALTER TABLE users ADD CONSTRAINT users_disabled_because_check CHECK (disabled_because IN ('inactive', 'gone', 'deleting', 'staff'));
CREATE INDEX users_kratos_state ON users (id) WHERE kratos_state IS NOT NULL;

-- Why somebody did something, and all that was done to one person.
ALTER TABLE audit_log ADD COLUMN reason text NOT NULL DEFAULT '';
CREATE INDEX audit_log_subject ON audit_log (subject, at DESC, id DESC);
CREATE INDEX audit_log_subject_label ON audit_log (subject_label, at DESC, id DESC);
