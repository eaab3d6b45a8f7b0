-- What a person takes along. The names of the fields are for them to understand.

-- name: ExportAccount :many
SELECT json_build_object(
    'id', id, 'email', email, 'former_emails', former_emails, 'email_confirmed_at', email_confirmed_at, 'emails_do_not_arrive_since', email_off_since,
    'apple_reported_on_emails_at', email_reported_at, 'sign_in_providers', identities, 'latest_provider', provider,
    'created_at', created_at, 'last_sign_in_at', last_sign_in_at, 'signed_out_everywhere_at', signed_out_at, 'sign_in_service_followed', kratos_signed_out_at,
    'disabled_at', disabled_at, 'disabled_because', disabled_because, 'state_to_set', kratos_state, 'state_set_at', state_set_at,
    'erased_at', erase_at)::json
FROM users WHERE id = @user_id;

-- name: ExportRoles :many
SELECT json_build_object('user_id', user_id, 'role', role, 'granted_at', granted_at)::json
FROM user_roles WHERE user_id = @user_id ORDER BY granted_at, role;

-- name: ExportDevices :many
SELECT id::text AS key, json_build_object(
    'id', id, 'user_id', user_id, 'kind', CASE WHEN kratos_session_id IS NULL THEN 'mac' ELSE 'browser' END,
    'name', device_name, 'user_agent', user_agent, 'ip_address', ip_address, 'sign_in_session', kratos_session_id,
    'signed_in_at', authenticated_at, 'assurance_level', aal, 'created_at', created_at, 'last_active_at', last_active_at, 'tokens_renewed_at', rotated_at,
    'expires_at', expires_at, 'ended_at', revoked_at, 'ended_because', revoked_because)::json AS fields
FROM session_families
WHERE user_id = @user_id AND id > coalesce(nullif(@after::text, ''), '00000000-0000-0000-0000-000000000000')::uuid
ORDER BY id LIMIT @count::int;

-- ExportHandOffs has no page: a browser may have few codes, and they are kept for a day.
-- name: ExportHandOffs :many
SELECT json_build_object(
    'browser', c.family_id, 'callback', c.callback, 'created_at', c.created_at, 'expires_at', c.expires_at, 'used_at', c.used_at,
    'mac', c.device_id)::json
FROM hand_off_codes c JOIN session_families f ON f.id = c.family_id WHERE f.user_id = @user_id ORDER BY c.created_at;

-- ExportActionsOn finds what identity did by the account's id: others may have had its addresses.
-- name: ExportActionsOn :many
SELECT id::text AS key, json_build_object(
    'id', id, 'at', at, 'service', service, 'action', action, 'subject', subject, 'subject_name', subject_label,
    'before', before, 'after', after, 'reason', reason)::json AS fields
FROM audit_log
WHERE (subject = @user_id::text OR service <> 'identity' AND subject_label = ANY (@emails::text[]))
    AND id > coalesce(nullif(@after::text, ''), '00000000-0000-0000-0000-000000000000')::uuid
ORDER BY id LIMIT @count::int;

-- name: ExportActionsBy :many
SELECT (at::text || '/' || id::text)::text AS key, json_build_object(
    'id', id, 'at', at, 'your_id', actor_id, 'your_email', actor_email, 'service', service, 'action', action, 'ip_address', client_ip,
    'user_agent', user_agent, 'request_id', request_id)::json AS fields
FROM audit_log
WHERE actor_id = @user_id AND (at, id) > (
    split_part(coalesce(nullif(@after::text, ''), '-infinity'), '/', 1)::timestamptz,
    coalesce(nullif(split_part(@after::text, '/', 2), ''), '00000000-0000-0000-0000-000000000000')::uuid)
ORDER BY at, id LIMIT @count::int;
