-- +goose Up

ALTER TABLE user_channels VALIDATE CONSTRAINT user_channels_channel_check;
