-- +goose Up

-- Codes of second factors that were typed lately, right or wrong: an account gets few, and none twice.
CREATE TABLE second_factor_codes (
    user_id  uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash     bytea NOT NULL CHECK (octet_length(hash) = 32),
    typed_at timestamptz NOT NULL
);
CREATE INDEX second_factor_codes_account ON second_factor_codes (user_id, typed_at);
CREATE INDEX second_factor_codes_age ON second_factor_codes (typed_at);

-- +goose Down
DROP TABLE second_factor_codes;
