-- +goose Up

-- Why what was decided about could not be applied: a decision closes a case for these reasons, and another reason makes
-- another case of the same object. Null is for all of them, as it was decided before there was this column.
ALTER TABLE accepted_cases ADD COLUMN causes text[];
