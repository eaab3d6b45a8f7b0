-- TryJobLock takes a lock that belongs to the connection, and makes the server
-- notice within a minute when the replica at its other end is no more.
-- name: TryJobLock :one
SELECT pg_try_advisory_lock(hashtextextended('fledge identity job ' || @job::text, 0)) AS ok,
       set_config('tcp_keepalives_idle', '30', false), set_config('tcp_keepalives_interval', '10', false), set_config('tcp_keepalives_count', '3', false);

-- name: UnlockJob :one
SELECT pg_advisory_unlock(hashtextextended('fledge identity job ' || @job::text, 0));

-- name: LastRun :one
SELECT began_at FROM job_runs WHERE job = @job;

-- name: RecordRun :exec
INSERT INTO job_runs (job, began_at) VALUES (@job, @began_at)
ON CONFLICT (job) DO UPDATE SET began_at = greatest(job_runs.began_at, EXCLUDED.began_at);
