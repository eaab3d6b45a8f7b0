-- +goose Up

-- Addresses of all who hold or ever held the admin role, by their SHA-256: the bootstrap setting
-- makes no admin of them again. Rows stay when the account is erased.
CREATE TABLE admin_addresses (
    address_hash bytea       PRIMARY KEY CHECK (octet_length(address_hash) = 32),
    user_id      uuid        REFERENCES users (id) ON DELETE SET NULL,
    since        timestamptz NOT NULL
);
CREATE INDEX admin_addresses_user ON admin_addresses (user_id);

-- Until here nothing was remembered. An account whose roles were ever changed may have been dismissed
-- as an admin, so it counts as one; whoever changed them can make it one again.
INSERT INTO admin_addresses (address_hash, user_id, since)
SELECT sha256(convert_to(u.email, 'UTF8')), u.id, coalesce(r.granted_at, u.created_at)
FROM users u LEFT JOIN user_roles r ON r.user_id = u.id AND r.role = 'admin'
WHERE r.role IS NOT NULL OR u.roles_version > 1
ORDER BY r.granted_at, u.created_at
ON CONFLICT DO NOTHING;

-- The audit log knows addresses that an account had when it was an admin.
INSERT INTO admin_addresses (address_hash, user_id, since)
SELECT sha256(convert_to(a.subject_label, 'UTF8')), u.id, a.at
FROM audit_log a LEFT JOIN users u ON u.id::text = a.subject
WHERE a.action = 'user.roles_changed' AND a.subject_label <> ''
  AND (a.before -> 'roles' ? 'admin' OR a.after -> 'roles' ? 'admin')
ORDER BY a.at
ON CONFLICT DO NOTHING;
