-- +goose Up

-- Since when emails to the address do not arrive, because the person has switched off its relay at
-- Apple, and when Apple's latest report about that was: reports come late and in any order.
ALTER TABLE users ADD COLUMN email_off_since timestamptz, ADD COLUMN email_reported_at timestamptz;

-- +goose Down
ALTER TABLE users DROP COLUMN email_off_since, DROP COLUMN email_reported_at;
