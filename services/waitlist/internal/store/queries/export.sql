-- What a person takes along. The names of the fields are for them to understand.

-- ExportEntries has the entries of the addresses, and those that the account has claimed.
-- name: ExportEntries :many
SELECT json_build_object(
    'id', id, 'email', email, 'status', status, 'source', source, 'created_at', created_at, 'imported_at', imported_at, 'updated_at', updated_at,
    'invited_at', invited_at, 'claimed_by', claimed_by, 'claimed_with', claimed_email,
    'approval_email', mail, 'approval_email_answer', mail_reply, 'invitation_opened_at', opened_at, 'first_signed_in_at', arrived_at, 'first_downloaded_at', downloaded_at,
    'invitation_ends_at', invitation_ends_at, 'reminded_at', reminded_at, 'invitation_expired_at', invitation_expired_at, 'left_at', left_at,
    'consent', consent, 'consented_at', consented_at, 'confirmed_at', confirmed_at, 'update_channel', channel)::json
FROM waitlist_users WHERE email = ANY (@emails::text[]) OR claimed_by = @account::uuid ORDER BY created_at, id;

-- name: ExportedAddresses :many
SELECT unnest(@emails::text[])::text UNION SELECT email FROM waitlist_users WHERE claimed_by = @account::uuid;

-- name: ExportUnconfirmed :many
SELECT json_build_object('id', id, 'email', email, 'source', source, 'consent', consent, 'created_at', created_at,
    'emails', mails, 'emailed_at', mailed_at, 'link_ends_at', ends_at, 'refused_at', refused_at, 'email_state', mail, 'email_answer', mail_reply)::json
FROM unconfirmed WHERE email = ANY (@emails::text[]) ORDER BY created_at, id;
