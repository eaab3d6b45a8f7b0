-- +goose Up

-- The sign-out everywhere that Kratos has followed: equal to signed_out_at, or Kratos may still honour
-- sessions that are older than that. Clocks of Kratos' and PostgreSQL's machines differ, so that the times
-- alone do not tell a session before a sign-out from one after it.
ALTER TABLE users ADD COLUMN kratos_signed_out_at timestamptz;

-- +goose Down
ALTER TABLE users DROP COLUMN kratos_signed_out_at;
