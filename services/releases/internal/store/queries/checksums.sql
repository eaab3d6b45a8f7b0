-- name: ClaimChecksums :one
-- Takes the newest available release that has an archive without a checksum, and
-- keeps everybody else from it for a while,
-- by PostgreSQL's clock.
UPDATE releases
SET checksums_due_at = now() + make_interval(secs => @retry_seconds)
WHERE version = (
    SELECT r.version FROM releases r
    WHERE r.github_id IS NOT NULL AND r.is_available AND r.checksums_due_at <= now()
      AND EXISTS (SELECT FROM release_assets a WHERE a.version = r.version AND a.sha512 IS NULL AND a.size > 0 AND lower(a.name) ~ @archives::text)
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
-- A release that lacks none may be claimed again as soon as it has another upload.
UPDATE releases r
SET checksums_due_at = '-infinity'
WHERE r.version = @version
  AND NOT EXISTS (SELECT FROM release_assets a WHERE a.version = r.version AND a.sha512 IS NULL AND a.size > 0 AND lower(a.name) ~ @archives::text);

-- name: RestartRise :exec
UPDATE releases SET ramp_started_at = now() WHERE version = @version AND ramp_started_at IS NOT NULL;
