-- What a person takes along. The names of the fields are for them to understand.

-- name: ExportEntries :many
SELECT json_build_object('id', id, 'email', email, 'status', status, 'source', source, 'created_at', created_at, 'updated_at', updated_at,
    'invited_at', invited_at, 'claimed_by', claimed_by, 'claimed_email', nullif(claimed_email, ''))::json
FROM waitlist_users WHERE email = ANY (@emails::text[]) OR claimed_by = @account::uuid ORDER BY created_at, id;

-- ClaimedAddresses are those of the entries that the account has claimed.
-- name: ClaimedAddresses :many
SELECT email FROM waitlist_users WHERE claimed_by = @account::uuid ORDER BY email;
