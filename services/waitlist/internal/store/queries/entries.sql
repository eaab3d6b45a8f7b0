-- SignUp writes new addresses, and nothing for known ones, in one statement and one round
-- trip. It returns the ids that are new. Arrays are parallel; an address may occur more
-- than once. The order by address makes replicas take row locks in the same order, so that
-- overlapping batches wait for each other instead of deadlocking.
-- name: SignUp :many
INSERT INTO waitlist_users (id, email, status, source, created_at, updated_at, version)
SELECT id, email, 'pending', source, created_at, created_at, 1 FROM (
    SELECT unnest(@ids::uuid[]) AS id,
           unnest(@emails::text[]) AS email,
           unnest(@sources::text[]) AS source,
           unnest(@created_ats::timestamptz[]) AS created_at
) AS input
ORDER BY email COLLATE "C"
ON CONFLICT (email) DO NOTHING
RETURNING id;

-- name: EntryStatus :one
SELECT status FROM waitlist_users WHERE email = @email;

-- name: Approved :one
SELECT EXISTS (SELECT FROM waitlist_users WHERE id = @id AND version = @version AND status = 'approved');

-- name: LockEntry :one
SELECT * FROM waitlist_users WHERE id = @id FOR UPDATE;

-- name: LockEntryByEmail :one
SELECT * FROM waitlist_users WHERE email = @email FOR UPDATE;

-- name: SetStatus :exec
UPDATE waitlist_users SET status = @status, updated_at = @updated_at, version = @version WHERE id = @id;

-- name: DeleteEntries :exec
DELETE FROM waitlist_users WHERE email = ANY (@emails::text[]);

-- name: ListEntries :many
SELECT * FROM waitlist_users
WHERE (created_at, id) < (@before_created_at::timestamptz, @before_id::uuid)
ORDER BY created_at DESC, id DESC
LIMIT @page_size;

-- name: ListEntriesByStatus :many
SELECT * FROM waitlist_users
WHERE status = @status AND (created_at, id) < (@before_created_at::timestamptz, @before_id::uuid)
ORDER BY created_at DESC, id DESC
LIMIT @page_size;

-- name: SearchEntries :many
SELECT * FROM waitlist_users
WHERE email LIKE @pattern
  AND (created_at, id) < (@before_created_at::timestamptz, @before_id::uuid)
ORDER BY created_at DESC, id DESC
LIMIT @page_size;

-- name: SearchEntriesByStatus :many
SELECT * FROM waitlist_users
WHERE email LIKE @pattern AND status = @status
  AND (created_at, id) < (@before_created_at::timestamptz, @before_id::uuid)
ORDER BY created_at DESC, id DESC
LIMIT @page_size;
