-- An import is part of a wave either as a whole, and counted, or not at all: a wave does not start while
-- one is under way.
-- name: LockImport :exec
SELECT pg_advisory_xact_lock_shared(hashtext('waitlist.imports'));

-- name: LockImports :exec
SELECT pg_advisory_xact_lock(hashtext('waitlist.imports'));

-- CountWave and LockNextOfWave leave out who did not use an earlier invitation: otherwise they, who have
-- waited longest, would be let in before everybody else again and again.
-- name: CountWave :one
SELECT count(*) FROM waitlist_users
WHERE status = 'pending' AND invitation_expired_at IS NULL AND created_at < @joined_before::timestamptz
  AND (@source::text = '' OR source = @source) AND (email LIKE @pattern::text OR spelled <> '' AND spelled LIKE @spelled::text OR claimed_by IS NOT NULL AND (claimed_email LIKE @pattern OR claimed_spelled <> '' AND claimed_spelled LIKE @spelled));

-- StartWave writes nothing for a wave that is there.
-- name: StartWave :execrows
INSERT INTO waves (id, search, source, joined_before, people, per_minute, starts_at, state, total, next_at, actor_id, actor_email, created_at, changed_at, channel)
VALUES (@id, @search, @source, @joined_before, @people, @per_minute, @starts_at, @state, @total, @starts_at, @actor_id, @actor_email, @created_at, @created_at, @channel)
ON CONFLICT (id) DO NOTHING;

-- LatestWaves prefers those that have not ended, and of the others those that have given a channel, which staff may take back.
-- name: LatestWaves :many
SELECT * FROM waves
WHERE id IN (SELECT latest.id FROM waves AS latest ORDER BY latest.state IN ('done', 'cancelled'), latest.channel = '' OR latest.approved = latest.undone, latest.created_at DESC, latest.id DESC LIMIT @size)
ORDER BY created_at DESC, id DESC;

-- name: FailedOfWaves :many
SELECT id, email FROM waitlist_users WHERE id = ANY (@ids::uuid[]) AND status = 'pending' ORDER BY created_at, id;

-- name: LockWave :one
SELECT * FROM waves WHERE id = @id FOR UPDATE;

-- LockDueWave skips a wave that another replica is at. Outside of a transaction it locks nothing.
-- name: LockDueWave :one
SELECT * FROM waves WHERE state IN ('scheduled', 'running') AND next_at <= @now::timestamptz
ORDER BY next_at, id LIMIT 1
FOR UPDATE SKIP LOCKED;

-- LockNextOfWave leaves out who was imported or became pending again after the wave's start, however long ago they joined.
-- name: LockNextOfWave :many
SELECT * FROM waitlist_users
WHERE status = 'pending' AND invitation_expired_at IS NULL AND created_at >= @reached::timestamptz AND created_at < @joined_before::timestamptz
  AND (imported_at IS NULL OR imported_at < @started_at::timestamptz) AND updated_at <= @started_at
  AND (@source::text = '' OR source = @source) AND (email LIKE @pattern::text OR spelled <> '' AND spelled LIKE @spelled::text OR claimed_by IS NOT NULL AND (claimed_email LIKE @pattern OR claimed_spelled <> '' AND claimed_spelled LIKE @spelled)) AND id <> ALL (@failed::uuid[])
ORDER BY created_at, id
LIMIT @size
FOR UPDATE;

-- name: SetWave :exec
UPDATE waves SET state = @state, approved = @approved, undone = @undone, failed = @failed::uuid[],
    reached = @reached, next_at = @next_at, last_at = @last_at, changed_at = @changed_at, starter_lost_role = @starter_lost_role,
    actor_id = @actor_id, actor_email = @actor_email, channel = @channel
WHERE id = @id;

-- name: SetEntriesWave :exec
UPDATE waitlist_users SET wave = @wave::uuid, channel = @channel WHERE id = ANY (@ids::uuid[]);

-- name: DropChannel :execrows
UPDATE waitlist_users SET channel = ''
WHERE id IN (SELECT given.id FROM waitlist_users AS given WHERE given.wave = @wave::uuid AND given.channel <> '' LIMIT @size);

-- UndoApprovals makes the entries pending again that the wave has approved since then and whose email
-- still waits: it is withdrawn, because the version is another one. Whoever has left meanwhile, whose email does not
-- wait any more, is off the list, as when they leave while pending.
-- name: UndoApprovals :many
UPDATE waitlist_users SET status = CASE WHEN left_at IS NULL THEN 'pending' ELSE 'rejected' END, updated_at = @now::timestamptz, version = version + 1, mail = '', wave = NULL, channel = '',
    opened_at = NULL, arrived_at = NULL, downloaded_at = NULL, invitation_ends_at = NULL
WHERE status = 'approved' AND updated_at > @since::timestamptz AND wave = @wave::uuid AND (mail = 'waiting' OR left_at > @since)
RETURNING *;

-- ForgetWaves deletes the waves that searched for one of the addresses, for several parts of it as a name has, unless its domain has them all, or for a part
-- that has all before the @, unless that is so short that it may be anybody's; one under way ends.
-- name: ForgetWaves :exec
DELETE FROM waves WHERE EXISTS (
    SELECT FROM unnest(@emails::text[]) AS address,
        LATERAL (SELECT '%' || replace(regexp_replace(lower(search), '([%_\\])', '\\\1', 'g'), ' ', '%') || '%' AS parts) AS pattern
    WHERE lower(search) = address
       OR strpos(search, ' ') > 0 AND address LIKE parts AND substr(address, strpos(address, '@')) NOT LIKE parts
       OR length(split_part(address, '@', 1)) >= 5 AND strpos(lower(search), split_part(address, '@', 1)) > 0 AND strpos(address, lower(search)) > 0
);

-- name: ForgetFailed :exec
UPDATE waves SET failed = ARRAY(SELECT unnest(failed) EXCEPT SELECT unnest(@ids::uuid[])) WHERE failed && @ids;

-- name: ForgetActor :exec
UPDATE waves SET actor_id = @nobody::uuid, actor_email = '' WHERE actor_id = @account::uuid;
