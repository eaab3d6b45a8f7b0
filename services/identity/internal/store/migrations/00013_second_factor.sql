-- +goose Up

-- How the person behind a browser has proved who they are: 1 at a provider, 2 also by a second factor.
-- These are the levels of NIST SP 800-63B that Kratos names aal1 and aal2.
ALTER TABLE session_families ADD COLUMN aal smallint NOT NULL DEFAULT 1 CHECK (aal IN (1, 2));
