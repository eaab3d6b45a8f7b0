-- What a person takes along. The names of the fields are for them to understand.

-- name: ExportPersonsTickets :many
SELECT number::text AS key, json_build_object(
    'id', id, 'number', 'TKT-' || lpad(number::text, greatest(6, length(number::text)), '0'), 'user_id', user_id, 'email', user_email,
    'category', category, 'priority', priority, 'status', status, 'subject', subject, 'message', message, 'app_version', app_version,
    'operating_system', operating_system, 'created_at', created_at, 'updated_at', updated_at)::json AS fields
FROM tickets
WHERE user_id = @user_id AND number > coalesce(nullif(@after::text, ''), '0')::bigint
ORDER BY number LIMIT @count::int;

-- name: ExportMessages :many
SELECT m.seq::text AS key, json_build_object(
    'id', m.id, 'ticket_id', m.ticket_id, 'from', CASE m.author WHEN 'customer' THEN 'you' ELSE m.author END,
    'your_id', CASE WHEN m.author_id = t.user_id THEN m.author_id END, 'your_email', CASE WHEN m.author_id = t.user_id THEN m.author_email END,
    'message', m.body, 'created_at', m.created_at)::json AS fields
FROM ticket_messages m JOIN tickets t ON t.id = m.ticket_id
WHERE t.user_id = @user_id AND m.seq > coalesce(nullif(@after::text, ''), '0')::bigint
ORDER BY m.seq LIMIT @count::int;

-- name: ExportChanges :many
SELECT c.id::text AS key, json_build_object(
    'number', c.id, 'ticket_id', c.ticket_id, 'at', c.at, 'by', CASE WHEN c.actor_id = t.user_id THEN 'you' ELSE 'staff' END,
    'your_id', CASE WHEN c.actor_id = t.user_id THEN c.actor_id END, 'your_email', CASE WHEN c.actor_id = t.user_id THEN c.actor_email END,
    'what', c.field, 'before', c.from_value, 'after', c.to_value)::json AS fields
FROM ticket_changes c JOIN tickets t ON t.id = c.ticket_id
WHERE t.user_id = @user_id AND c.field NOT IN ('assignee', 'tags') AND c.id > coalesce(nullif(@after::text, ''), '0')::bigint
ORDER BY c.id LIMIT @count::int;
