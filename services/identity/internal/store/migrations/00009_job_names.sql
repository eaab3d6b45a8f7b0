-- +goose Up

-- A job goes by the name of its periodic task.
INSERT INTO job_runs (job, began_at)
SELECT CASE job WHEN 'sweep' THEN 'kratos_reconcile' ELSE 'kratos_full_reconcile' END, began_at
FROM job_runs WHERE job IN ('sweep', 'walk')
ON CONFLICT (job) DO NOTHING;
DELETE FROM job_runs WHERE job IN ('sweep', 'walk');
