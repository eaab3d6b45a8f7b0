-- +goose Up

-- Stable is a choice, too: against the channel that somebody was approved with.
ALTER TABLE user_channels DROP CONSTRAINT user_channels_channel_check;
ALTER TABLE user_channels ADD CONSTRAINT user_channels_channel_check CHECK (channel IN ('stable', 'beta', 'alpha')) NOT VALID;
