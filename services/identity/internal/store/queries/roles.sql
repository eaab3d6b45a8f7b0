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
