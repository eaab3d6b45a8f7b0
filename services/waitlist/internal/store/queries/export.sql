-- What a person takes along. The names of the fields are for them to understand.

-- name: ExportEntries :many
SELECT json_build_object('id', id, 'email', email, 'status', status, 'source', source, 'created_at', created_at, 'updated_at', updated_at)::json
FROM waitlist_users WHERE email = ANY (@emails::text[]) ORDER BY created_at, id;
