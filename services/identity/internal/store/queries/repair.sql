-- RepairUsers brings records in line with what Kratos knows, and returns those
-- that were not, whether they have another address now, and the providers they had. Arrays are parallel; providers are separated by commas. Rows are
-- locked in the order of their ids.
-- name: RepairUsers :many
WITH known AS (
    SELECT unnest(@ids::uuid[]) AS id,
           unnest(@emails::text[]) AS email,
           string_to_array(unnest(@providers::text[]), ',') AS identities,
           unnest(@confirmed_ats::timestamptz[]) AS email_confirmed_at,
           unnest(@created_ats::timestamptz[]) AS created_at
), accounts AS MATERIALIZED (
    SELECT l.id, l.email, l.identities FROM users l WHERE l.id = ANY (@ids::uuid[]) ORDER BY l.id FOR NO KEY UPDATE
)
UPDATE users u
SET email = k.email, identities = k.identities, email_confirmed_at = k.email_confirmed_at, created_at = k.created_at,
    former_emails = CASE WHEN u.email = k.email THEN u.former_emails ELSE array_remove(u.former_emails, k.email) || u.email END,
    email_off_since = CASE WHEN u.email = k.email THEN u.email_off_since END,
    email_reported_at = CASE WHEN u.email = k.email THEN u.email_reported_at END
FROM known k JOIN accounts a ON a.id = k.id
WHERE u.id = k.id
  AND (u.email, u.identities, u.email_confirmed_at, u.created_at) IS DISTINCT FROM (k.email, k.identities, k.email_confirmed_at, k.created_at)
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
