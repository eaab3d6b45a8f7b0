-- DifferingUsers are those whose records are not in line with what Kratos has listed. Arrays are parallel; providers
-- are separated by commas.
-- name: DifferingUsers :many
SELECT u.id
FROM users u JOIN (
    SELECT unnest(@ids::uuid[]) AS id,
           unnest(@emails::text[]) AS email,
           string_to_array(unnest(@providers::text[]), ',') AS identities,
           unnest(@confirmed_ats::timestamptz[]) AS email_confirmed_at,
           unnest(@created_ats::timestamptz[]) AS created_at
) k ON k.id = u.id
WHERE (u.email, u.identities, u.email_confirmed_at, u.created_at) IS DISTINCT FROM (k.email, k.identities, k.email_confirmed_at, k.created_at)
ORDER BY u.id;

-- RepairUser brings a record in line with what Kratos knows, and returns it if it was not, with whether it has another
-- address now and the providers it had.
-- name: RepairUser :one
UPDATE users u
SET email = @email, identities = @identities::text[], email_confirmed_at = @email_confirmed_at, created_at = @created_at,
    former_emails = CASE WHEN u.email = @email THEN u.former_emails ELSE array_remove(u.former_emails, @email) || u.email END,
    email_off_since = CASE WHEN u.email = @email THEN u.email_off_since END,
    email_reported_at = CASE WHEN u.email = @email THEN u.email_reported_at END
FROM (SELECT l.id, l.email, l.identities FROM users l WHERE l.id = @id FOR NO KEY UPDATE) a
WHERE u.id = a.id
  AND (u.email, u.identities, u.email_confirmed_at, u.created_at) IS DISTINCT FROM (@email, @identities::text[], @email_confirmed_at, @created_at)
RETURNING sqlc.embed(u), (a.email <> u.email)::boolean AS has_moved, a.identities AS had;

-- name: UnknownUsers :many
SELECT k.id::uuid FROM unnest(@ids::uuid[]) AS k (id) WHERE NOT EXISTS (SELECT FROM users u WHERE u.id = k.id)
  AND NOT EXISTS (SELECT FROM erasures e WHERE e.user_id = k.id);

-- RaiseSignIns takes over sign-ins that are later than the known ones. Arrays
-- are parallel.
-- name: RaiseSignIns :execrows
WITH accounts AS MATERIALIZED (
    SELECT l.id FROM users l WHERE l.id = ANY (@ids::uuid[]) ORDER BY l.id FOR NO KEY UPDATE
)
UPDATE users u
SET last_sign_in_at = k.at, provider = CASE WHEN k.provider <> '' THEN k.provider ELSE u.provider END
FROM (
    SELECT DISTINCT ON (s.id) s.id, s.provider, s.at
    FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@providers::text[]) AS provider, unnest(@ats::timestamptz[]) AS at) s
    ORDER BY s.id, s.at DESC
) k JOIN accounts a ON a.id = k.id
WHERE u.id = k.id AND k.at > u.last_sign_in_at;
