-- +goose Up

-- An upgrade grants only the share of the period that is left.
UPDATE plans SET features = replace(features::text, 'get the additional credits at once', 'get the extra credits for that time at once')::jsonb
WHERE id = 'business';
