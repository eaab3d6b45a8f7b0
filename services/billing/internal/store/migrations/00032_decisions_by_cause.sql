-- +goose Up

-- What was decided about each of the causes: {"odd_invoice": "accept"}. The last decision stands for a cause that is not
-- in it, as it was decided before there was this column.
ALTER TABLE accepted_cases ADD COLUMN decisions jsonb NOT NULL DEFAULT '{}';
