-- LockRoles makes changes of roles wait for each other: whether an admin is left
-- depends on all of them.
-- name: LockRoles :exec
SELECT pg_advisory_xact_lock(hashtext('identity.roles'));

-- name: RolesOf :many
SELECT role FROM user_roles WHERE user_id = @user_id ORDER BY role;

-- AnotherAdmin tells whether an active admin is left without this one.
-- name: AnotherAdmin :one
SELECT EXISTS (
    SELECT FROM user_roles r JOIN users u ON u.id = r.user_id
    WHERE r.role = 'admin' AND u.disabled_at IS NULL AND u.id <> @user_id);

-- name: RevokeRolesBut :exec
DELETE FROM user_roles WHERE user_id = @user_id AND role <> ALL (@roles::text[]);

-- name: NextRolesVersion :one
UPDATE users SET roles_version = roles_version + 1 WHERE id = @id RETURNING roles_version;

-- RememberAdmin notes that the account is or was an admin. It answers 0 rows when its address is noted
-- already.
-- name: RememberAdmin :execrows
INSERT INTO admin_addresses (address_hash, user_id, since)
SELECT sha256(convert_to(@email::text, 'UTF8')), @user_id::uuid, @since::timestamptz
ON CONFLICT DO NOTHING;

-- WasAdmin tells whether the account was an admin under any address.
-- name: WasAdmin :one
SELECT EXISTS (SELECT FROM admin_addresses WHERE user_id = @user_id::uuid);

-- IsDismissed tells whether an account is disabled or no admin; false for who acts without an account.
-- name: IsDismissed :one
SELECT EXISTS (
    SELECT FROM users u WHERE u.id = @id
      AND (u.disabled_at IS NOT NULL OR NOT EXISTS (SELECT FROM user_roles r WHERE r.user_id = u.id AND r.role = 'admin')));
