-- name: ListReleases :many
-- Releases that GitHub lists, with their assets; all of them, or one version.
SELECT r.version, r.github_id, r.name, r.notes, r.prerelease, r.published_at, r.is_available, r.rollout_percentage, r.is_required, r.replaced_at, r.promoted_at, r.chosen_channel,
       r.ramp_started_at, now()::timestamptz AS database_time,
       coalesce(d.total, 0)::bigint AS site_download_count,
       a.github_id AS asset_id, a.name AS asset_name, a.size, a.url, a.digest, a.download_count, a.sha512
FROM releases r
LEFT JOIN (SELECT version, sum(total) AS total FROM download_versions GROUP BY version) d ON d.version = r.version
LEFT JOIN release_assets a ON a.version = r.version
WHERE r.github_id IS NOT NULL
  AND (sqlc.narg(version)::text IS NULL OR r.version = sqlc.narg(version))
ORDER BY r.published_at DESC, r.version, a.github_id;

-- name: LockRelease :one
SELECT version, is_available, rollout_percentage, is_required, ramp_started_at, chosen_channel, now()::timestamptz AS database_time
FROM releases WHERE github_id = @github_id::bigint FOR UPDATE;

-- name: FinishRises :exec
-- Rollouts that have risen to the end stay there: nothing that happens to the release later begins
-- them again. While apps wait for its checksums, a release is not offered to them.
UPDATE releases r
SET rollout_percentage = 100, ramp_started_at = NULL
WHERE r.is_available AND r.github_id IS NOT NULL AND r.ramp_started_at <= now() - make_interval(secs => @rise_seconds)
  AND (sqlc.narg(version)::text IS NULL OR r.version = sqlc.narg(version))
  AND NOT EXISTS (SELECT FROM release_assets a WHERE a.version = r.version AND a.sha512 IS NULL AND a.size > 0 AND lower(a.name) ~ @archives::text);

-- name: SetAvailability :exec
-- Staff have seen the files that are there now. What is taken back is not required when it
-- comes again, and a rollout that rises begins again.
UPDATE releases
SET is_available = @is_available, offered_prerelease = prerelease, replaced_at = NULL, promoted_at = CASE WHEN chosen_channel IS NOT NULL THEN promoted_at END, is_required = is_required AND @is_available,
    ramp_started_at = CASE WHEN ramp_started_at IS NOT NULL THEN now() END
WHERE version = @version;

-- name: SetRequired :exec
UPDATE releases SET is_required = @is_required WHERE version = @version;

-- name: SetChannel :exec
-- What was required was so of the apps of another channel.
UPDATE releases
SET chosen_channel = sqlc.narg(channel), offered_prerelease = prerelease, promoted_at = NULL, is_required = false
WHERE version = @version;

-- name: SetRollout :exec
UPDATE releases
SET rollout_percentage = @rollout_percentage, ramp_started_at = CASE WHEN @rises::boolean THEN now() END
WHERE version = @version;

-- name: ReleaseIDs :exec
-- Takes GitHub's ids from releases that are gone, and from those whose id now belongs to
-- another version. Of a listing that is not complete, gone is what it would have if it were
-- there: what was created after the last on it, if it is known where it ends.
UPDATE releases r
SET github_id = NULL
WHERE r.github_id IS NOT NULL
  AND (((@complete::boolean OR r.created_at > sqlc.narg(until)::timestamptz) AND r.version <> ALL (@versions::text[]))
    OR EXISTS (
      SELECT FROM (SELECT unnest(@versions::text[]) AS version, unnest(@github_ids::bigint[]) AS github_id) AS listed
      WHERE listed.github_id = r.github_id AND listed.version <> r.version));

-- name: DecideOffered :exec
-- Of what was made available before this was kept, GitHub's mark is the nearest that is known. New
-- releases that start available were decided on by nobody.
UPDATE releases SET offered_prerelease = prerelease WHERE offered_prerelease IS NULL;

-- name: PutReleases :exec
-- One that was away is offered from now on, so that a rollout rises from now on. One that was kept on
-- beta as it was no prerelease any more, and is one again, is where its mark has it.
INSERT INTO releases (version, github_id, name, notes, prerelease, offered_prerelease, published_at, created_at, is_available)
SELECT unnest(@versions::text[]), unnest(@github_ids::bigint[]), unnest(@names::text[]), unnest(@notes::text[]),
       unnest(@prereleases::boolean[]), false, unnest(@published_at::timestamptz[]), unnest(@created_at::timestamptz[]), @is_available::boolean
ON CONFLICT (version) DO UPDATE
SET github_id = excluded.github_id, name = excluded.name, notes = excluded.notes,
    prerelease = excluded.prerelease, published_at = excluded.published_at, created_at = excluded.created_at,
    promoted_at = CASE WHEN NOT excluded.prerelease THEN releases.promoted_at END,
    chosen_channel = CASE WHEN NOT excluded.prerelease OR releases.promoted_at IS NULL THEN releases.chosen_channel END,
    ramp_started_at = CASE WHEN releases.github_id IS NULL AND releases.ramp_started_at IS NOT NULL THEN now() ELSE releases.ramp_started_at END
WHERE (releases.github_id, releases.name, releases.notes, releases.prerelease, releases.published_at, releases.created_at)
   IS DISTINCT FROM (excluded.github_id, excluded.name, excluded.notes, excluded.prerelease, excluded.published_at, excluded.created_at);

-- name: DropAssets :exec
-- Deletes assets that the listed releases do not have any more.
DELETE FROM release_assets a
WHERE a.version = ANY (@versions::text[])
  AND NOT EXISTS (
    SELECT FROM (SELECT unnest(@asset_versions::text[]) AS version, unnest(@names::text[]) AS name) AS listed
    WHERE listed.version = a.version AND listed.name = a.name);

-- name: PutAssets :exec
-- A file that was uploaded again has another id and loses its checksum.
INSERT INTO release_assets (version, name, github_id, size, url, digest, download_count)
SELECT unnest(@asset_versions::text[]), unnest(@names::text[]), unnest(@github_ids::bigint[]), unnest(@sizes::bigint[]),
       unnest(@urls::text[]), unnest(@digests::text[]), unnest(@download_counts::bigint[])
ON CONFLICT (version, name) DO UPDATE
SET github_id = excluded.github_id, size = excluded.size, url = excluded.url,
    digest = excluded.digest, download_count = excluded.download_count,
    sha512 = CASE WHEN (release_assets.github_id, release_assets.size) = (excluded.github_id, excluded.size) THEN release_assets.sha512 END
WHERE (release_assets.github_id, release_assets.size, release_assets.url, release_assets.digest, release_assets.download_count)
   IS DISTINCT FROM (excluded.github_id, excluded.size, excluded.url, excluded.digest, excluded.download_count);

-- name: BuildsSince :many
-- Of the available releases with a build that was not there when they were made available: the
-- files, in the order of their upload, and the builds that are known, there or not. One that has only
-- another name now is as decided on as before.
SELECT coalesce(a.version, o.version)::text AS version, coalesce(a.name, o.name)::text AS name,
       (a.name IS NOT NULL)::boolean AS listed, (o.name IS NOT NULL)::boolean AS known,
       (coalesce(o.decided, false) OR EXISTS (
           SELECT FROM offered_builds s
           WHERE s.version = a.version AND s.github_id = a.github_id AND s.digest = a.digest AND s.decided))::boolean AS decided
FROM release_assets a
FULL JOIN offered_builds o ON o.version = a.version AND o.name = a.name
WHERE coalesce(a.version, o.version) IN (
    SELECT r.version FROM releases r
    JOIN release_assets n ON n.version = r.version
    WHERE r.is_available AND r.github_id IS NOT NULL AND lower(n.name) ~ @builds::text
      AND NOT EXISTS (SELECT FROM offered_builds s WHERE s.version = n.version AND s.name = n.name AND s.decided))
ORDER BY 1, coalesce(a.github_id, o.github_id);

-- name: Reconsider :many
-- Makes releases unavailable whose builds have other bytes than when they were made available, or
-- are others, which is for the caller to say. Those that are no prereleases any more, as they were when
-- staff made them available, which offered them to fewer apps, stay on beta, where GitHub's mark alone
-- had them, unless staff have chosen a channel.
-- Two uploads with one digest are the same bytes; without digests each upload is another.
UPDATE releases r
SET is_available = NOT w.replaced, is_required = r.is_required AND NOT w.replaced, replaced_at = CASE WHEN w.replaced THEN now() END,
    promoted_at = CASE WHEN w.promoted THEN now() ELSE r.promoted_at END,
    chosen_channel = CASE WHEN w.promoted THEN 'beta' ELSE r.chosen_channel END
FROM (
    SELECT v.version, v.chosen_channel IS NULL AND coalesce(v.offered_prerelease, false) AND NOT v.prerelease AS promoted,
           v.version = ANY (@others::text[]) OR EXISTS (
               SELECT FROM release_assets a
               JOIN offered_builds o ON o.version = a.version AND o.name = a.name
               WHERE a.version = v.version AND lower(a.name) ~ @builds::text
                 AND a.github_id <> o.github_id AND (a.digest = '' OR a.digest <> o.digest)) AS replaced
    FROM releases v
    WHERE v.is_available AND v.github_id IS NOT NULL) AS w
WHERE w.version = r.version AND (w.replaced OR w.promoted)
RETURNING r.version, w.replaced::boolean AS replaced, w.promoted::boolean AS promoted;

-- name: RememberBuilds :exec
-- Of every available release, the builds that are not known yet. The first are those that are
-- there as it is made available.
INSERT INTO offered_builds (version, name, github_id, digest, decided)
SELECT a.version, a.name, a.github_id, a.digest, NOT EXISTS (SELECT FROM offered_builds o WHERE o.version = a.version)
FROM release_assets a
JOIN releases r ON r.version = a.version AND r.is_available
WHERE lower(a.name) ~ @builds::text
ON CONFLICT (version, name) DO NOTHING;

-- name: ForgetBuilds :exec
DELETE FROM offered_builds WHERE version = @version;
