-- +goose Up

-- One key at most waits to become active.
CREATE UNIQUE INDEX keys_one_next ON keys (purpose) WHERE state = 'next';
