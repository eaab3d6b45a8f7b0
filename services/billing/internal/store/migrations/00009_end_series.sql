-- +goose Up

-- Nothing ends a series by itself: the next grant does, or the days after its period.
DROP FUNCTION credits_end_series(uuid, timestamptz, text, timestamptz);
