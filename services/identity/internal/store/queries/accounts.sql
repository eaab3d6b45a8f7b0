-- InsertUser answers no row when the account is known already, or was erased.
-- name: InsertUser :one
INSERT INTO users (id, email, provider, identities, email_confirmed_at, created_at, last_sign_in_at, roles_version)
SELECT @id, @email, @provider, @identities, @email_confirmed_at, @created_at, @last_sign_in_at, 1
WHERE NOT EXISTS (SELECT FROM erasures e WHERE e.user_id = @id)
ON CONFLICT (id) DO NOTHING
RETURNING *;

-- RecordSignIn never goes back in time: hooks arrive late, twice or not at all. What was reported of
-- an address is not so of another.
-- name: RecordSignIn :one
UPDATE users SET
    email = @email,
    former_emails = CASE WHEN email = @email THEN former_emails ELSE array_remove(former_emails, @email) || email END,
    email_off_since = CASE WHEN email = @email THEN email_off_since END,
    email_reported_at = CASE WHEN email = @email THEN email_reported_at END,
    provider = CASE WHEN @provider::text <> '' AND @at::timestamptz >= last_sign_in_at THEN @provider ELSE provider END,
    identities = ARRAY(SELECT DISTINCT p FROM unnest(identities || @identities::text[]) AS p WHERE p <> '' ORDER BY p)::text[],
    last_sign_in_at = greatest(last_sign_in_at, @at)
WHERE id = @id
RETURNING *;

-- ChangeEmail is what staff do; what was reported of the old address is not so of the new one.
-- name: ChangeEmail :one
UPDATE users SET
    email = @email, email_confirmed_at = @now::timestamptz, former_emails = array_remove(former_emails, @email) || email,
    email_off_since = NULL, email_reported_at = NULL
WHERE id = @id
RETURNING *;

-- EmailTaken tells whether another account can be signed in to, or can be again, that has the address.
-- name: EmailTaken :one
SELECT EXISTS (SELECT FROM users WHERE email = @email AND id <> @id AND disabled_because IS DISTINCT FROM 'gone');

-- TakeAddress ends the histories of others of which an address is part: it is another account's now.
-- name: TakeAddress :exec
UPDATE users SET former_emails = array_remove(former_emails, @email::text)
WHERE former_emails <> '{}' AND former_emails @> ARRAY[@email::text];

-- SettleFormerEmails drops what has become another's before this account was known to have left it.
-- name: SettleFormerEmails :one
UPDATE users u SET former_emails = ARRAY(
    SELECT f.email FROM unnest(u.former_emails) WITH ORDINALITY AS f (email, n)
    WHERE NOT EXISTS (SELECT FROM users o WHERE o.email = f.email AND o.id <> u.id) ORDER BY f.n)
WHERE u.id = @id
RETURNING u.email, u.former_emails;

-- FormerEmails are the addresses that an account had and no other has had since.
-- name: FormerEmails :one
SELECT former_emails FROM users WHERE id = @id;

-- SetProviders also forgets the provider of the latest sign-in if it is no longer linked: a
-- sign-in with it would be another account's.
-- name: SetProviders :one
UPDATE users SET
    identities = @identities::text[],
    provider = CASE WHEN provider = ANY (@identities) THEN provider ELSE (@identities)[1] END
WHERE id = @id
RETURNING *;

-- name: GetUser :one
SELECT * FROM users WHERE id = @id;

-- name: AddressesOf :many
SELECT id, email FROM users
WHERE id = ANY (@ids::uuid[]) AND disabled_at IS NULL AND erase_at IS NULL AND (email_off_since IS NULL OR @undelivered::boolean);

-- name: GrantRoles :exec
INSERT INTO user_roles (user_id, role, granted_at)
SELECT @user_id, unnest(@roles::text[]), @granted_at::timestamptz
ON CONFLICT DO NOTHING;

-- GetAccess answers no row for an unknown account. The family's expiry needs no
-- look: no access token outlives it. Without a living family it is no browser's, and as old as
-- the epoch.
-- name: GetAccess :one
SELECT (u.disabled_at IS NULL)::boolean AS active,
       (f.id IS NOT NULL)::boolean AS signed_in,
       (f.kratos_session_id IS NOT NULL)::boolean AS browser,
       coalesce(f.authenticated_at, 'epoch')::timestamptz AS authenticated_at,
       coalesce(f.aal, 1)::smallint AS aal,
       coalesce(array_agg(r.role ORDER BY r.role) FILTER (WHERE r.role IS NOT NULL), '{}')::text[] AS roles
FROM users u LEFT JOIN user_roles r ON r.user_id = u.id
     LEFT JOIN session_families f ON f.id = @family_id AND f.user_id = u.id AND f.revoked_at IS NULL
WHERE u.id = @id
GROUP BY u.id, f.id;
