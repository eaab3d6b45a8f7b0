-- name: ClaimChecksums :one
-- Takes the newest available release that has an archive without a checksum, and
-- keeps everybody else from it for a while,
-- by PostgreSQL's clock.
UPDATE releases
SET checksums_due_at = now() + make_interval(secs => @retry_seconds)
WHERE version = (
    SELECT r.version FROM releases r
    WHERE r.github_id IS NOT NULL AND r.is_available AND r.checksums_due_at <= now()
      AND EXISTS (SELECT FROM release_assets a WHERE a.version = r.version AND a.sha512 IS NULL AND a.size > 0 AND lower(substring(a.name FROM '\.[^.]*$')) = @archive::text AND lower(a.name) !~ @no_build::text)
    ORDER BY r.published_at DESC
    LIMIT 1
    FOR UPDATE SKIP LOCKED)
RETURNING version;

-- name: PutChecksums :exec
-- Leaves out files that were uploaded again in the meantime.
UPDATE release_assets a
SET sha512 = given.sha512
FROM (SELECT unnest(@github_ids::bigint[]) AS github_id, unnest(@sha512s::text[]) AS sha512) AS given
WHERE a.github_id = given.github_id AND a.version = @version;

-- name: FinishChecksums :exec
-- A release that lacks none may be claimed again as soon as it has another upload. Apps are offered
-- it from now on, so that a rollout rises from now on.
UPDATE releases r
SET checksums_due_at = '-infinity', ramp_started_at = CASE WHEN r.ramp_started_at IS NOT NULL THEN now() END
WHERE r.version = @version
  AND NOT EXISTS (SELECT FROM release_assets a WHERE a.version = r.version AND a.sha512 IS NULL AND a.size > 0 AND lower(substring(a.name FROM '\.[^.]*$')) = @archive::text AND lower(a.name) !~ @no_build::text);
