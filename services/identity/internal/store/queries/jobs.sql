-- name: LastRun :one
SELECT began_at FROM job_runs WHERE job = @job;

-- name: RecordRun :exec
INSERT INTO job_runs (job, began_at) VALUES (@job, @began_at)
ON CONFLICT (job) DO UPDATE SET began_at = greatest(job_runs.began_at, EXCLUDED.began_at);
