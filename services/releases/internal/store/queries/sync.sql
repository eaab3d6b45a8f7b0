-- name: ClaimSync :one
-- Reserves a run when one is due, or asked for, and nobody else has it. All times here are
-- PostgreSQL's: a replica whose clock is wrong would keep all others waiting. It stays due until the run
-- has ended, so that another replica takes over what one that is stopped was asked for.
INSERT INTO github_sync AS s (repository, due_at, held_until)
VALUES (@repository, now(), now() + make_interval(secs => @held_seconds))
ON CONFLICT (repository) DO UPDATE SET held_until = excluded.held_until, due_at = excluded.due_at, wanted = false
WHERE s.held_until <= now() AND (s.due_at <= now() OR s.wanted OR @asked::boolean)
RETURNING s.failures;

-- name: WantSync :exec
INSERT INTO github_sync AS s (repository, due_at, held_until, wanted)
VALUES (@repository, now(), now(), true)
ON CONFLICT (repository) DO UPDATE SET wanted = true
WHERE NOT s.wanted;

-- name: LastCheck :one
SELECT last_check_at FROM github_sync WHERE repository = @repository;

-- name: RepositoryID :one
SELECT coalesce(max(repository_id), 0)::bigint FROM github_sync WHERE repository = @repository;

-- name: Listed :one
SELECT EXISTS (
    SELECT FROM github_sync s WHERE s.last_check_at > now() - make_interval(secs => @within_seconds)
      AND EXISTS (SELECT FROM releases r WHERE r.github_id IS NOT NULL));

-- name: FinishSync :exec
UPDATE github_sync
SET last_check_at = now(), due_at = now() + make_interval(secs => @due_seconds),
    held_until = now() + make_interval(secs => @held_seconds), failures = 0,
    is_other = is_other OR coalesce(repository_id <> nullif(@repository_id::bigint, 0), false),
    repository_id = coalesce(nullif(@repository_id::bigint, 0), repository_id)
WHERE repository = @repository;

-- name: IsOther :one
SELECT coalesce(bool_or(is_other), false)::boolean FROM github_sync WHERE repository = @repository;

-- name: TrustRepositories :exec
UPDATE github_sync SET is_other = false WHERE is_other;

-- name: FailSync :exec
UPDATE github_sync
SET due_at = now() + make_interval(secs => @rest_seconds), held_until = now() + make_interval(secs => @rest_seconds),
    failures = failures + 1
WHERE repository = @repository;

-- name: ListPages :many
SELECT url, etag, link, body FROM github_pages;

-- name: DropPages :exec
DELETE FROM github_pages WHERE url <> ALL (@urls::text[]);

-- name: PutPage :exec
INSERT INTO github_pages (url, etag, link, body)
VALUES (@url, @etag, @link, @body)
ON CONFLICT (url) DO UPDATE SET etag = excluded.etag, link = excluded.link, body = excluded.body;
