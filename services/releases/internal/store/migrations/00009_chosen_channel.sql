-- +goose Up

ALTER TABLE releases
    -- The channel that staff have chosen; NULL as GitHub's mark and the version say.
    ADD COLUMN chosen_channel text CHECK (chosen_channel IN ('stable', 'beta', 'alpha'));
