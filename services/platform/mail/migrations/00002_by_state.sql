-- +goose NO TRANSACTION
-- +goose Up

-- Staff list the emails in a state, the newest first.
SET lock_timeout = 0;
DROP INDEX CONCURRENTLY IF EXISTS mail.river_job_state_id;
CREATE INDEX CONCURRENTLY river_job_state_id ON mail.river_job (state, id);
RESET lock_timeout;
