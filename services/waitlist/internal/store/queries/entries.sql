-- AddEntries writes new addresses, and nothing for known ones, in one statement and one round
-- trip. It returns those that are new. Arrays are parallel; of an address that occurs more than
-- once, the first is taken. The order by address makes replicas take row locks in the same order,
-- so that overlapping batches wait for each other instead of deadlocking. What was yet to be confirmed of
-- an address is over; the links in its email go on working as those of the entry, which keeps the consent.
-- name: AddEntries :many
WITH waiting AS (
    DELETE FROM unconfirmed WHERE id IN (
        SELECT u.id FROM unconfirmed u WHERE u.email = ANY (@emails::text[])
            AND NOT EXISTS (SELECT FROM waitlist_users known WHERE known.email = u.email)
        ORDER BY u.email FOR UPDATE
    ) RETURNING unconfirmed.email, unconfirmed.token, unconfirmed.consent, unconfirmed.created_at
)
INSERT INTO waitlist_users (id, email, spelled, status, source, created_at, updated_at, version, imported_at, consent, consented_at, confirmed_at, left_at, invitation_expired_at, leave_token)
SELECT input.id, input.email, input.spelled, input.status, input.source, input.created_at, input.created_at, 1, sqlc.narg('imported_at')::timestamptz,
       CASE WHEN input.consent = '' THEN coalesce(waiting.consent, '') ELSE input.consent END,
       CASE WHEN input.consent = '' AND waiting.consent <> '' THEN waiting.created_at ELSE nullif(input.consented_at, '0001-01-01T00:00:00Z') END, nullif(input.confirmed_at, '0001-01-01T00:00:00Z'),
       nullif(input.left_at, '0001-01-01T00:00:00Z'), nullif(input.expired_at, '0001-01-01T00:00:00Z'), waiting.token FROM (
    SELECT unnest(@ids::uuid[]) AS id,
           unnest(@emails::text[]) AS email,
           unnest(@spelled::text[]) AS spelled,
           unnest(@statuses::text[]) AS status,
           unnest(@sources::text[]) AS source,
           unnest(@created_ats::timestamptz[]) AS created_at,
           unnest(@consents::text[]) AS consent,
           unnest(@consented_ats::timestamptz[]) AS consented_at,
           unnest(@confirmed_ats::timestamptz[]) AS confirmed_at,
           unnest(@left_ats::timestamptz[]) AS left_at,
           unnest(@expired_ats::timestamptz[]) AS expired_at,
           generate_series(1, cardinality(@ids::uuid[])) AS n
) AS input LEFT JOIN waiting ON waiting.email = input.email
ORDER BY input.email COLLATE "C", input.n
ON CONFLICT (email) DO NOTHING
RETURNING id;

-- name: LockPerson :exec
SELECT pg_advisory_xact_lock(hashtextextended('waitlist person ' || @account::text, 0));

-- name: KnownEmails :many
SELECT email FROM waitlist_users WHERE email = ANY (@emails::text[]);

-- EntryStatus is of the entry of an address, or one that the account has claimed: of several,
-- the one that gives most.
-- name: EntryStatus :one
SELECT id, status, arrived_at, channel FROM waitlist_users WHERE email = @email OR claimed_by = @account::uuid
ORDER BY array_position(ARRAY['approved', 'pending', 'rejected'], status), array_position(ARRAY['alpha', 'beta', ''], channel), id
LIMIT 1;

-- name: SetArrived :exec
UPDATE waitlist_users SET arrived_at = @now::timestamptz WHERE id = @id AND status = 'approved' AND arrived_at IS NULL;

-- name: SetDownloaded :exec
UPDATE waitlist_users SET downloaded_at = @now::timestamptz WHERE id = @id AND status = 'approved' AND downloaded_at IS NULL;

-- name: SetOpened :exec
UPDATE waitlist_users SET opened_at = @now::timestamptz
WHERE (invitation_hash = @hash::bytea OR reminder_hash = @hash) AND status = 'approved' AND opened_at IS NULL;

-- Approved is whether the entry is still approved in that version, and its person wants emails.
-- name: Approved :one
SELECT EXISTS (SELECT FROM waitlist_users WHERE id = @id AND version = @version AND status = 'approved' AND left_at IS NULL);

-- Unused is whether the entry is still approved in that version, nobody has used its invitation, which has
-- not ended, and its person wants emails.
-- name: Unused :one
SELECT EXISTS (SELECT FROM waitlist_users WHERE id = @id AND version = @version AND status = 'approved'
    AND opened_at IS NULL AND arrived_at IS NULL AND left_at IS NULL
    AND (invitation_ends_at IS NULL OR invitation_ends_at > now()));

-- name: LockEntry :one
SELECT * FROM waitlist_users WHERE id = @id FOR UPDATE;

-- name: LockEntryByEmail :one
SELECT * FROM waitlist_users WHERE email = @email FOR UPDATE;

-- LockReported are the entries whose emails go to the address, or went there before they were claimed.
-- name: LockReported :many
SELECT * FROM waitlist_users WHERE email = @address::text OR claimed_by IS NOT NULL AND claimed_email = @address
ORDER BY email FOR UPDATE;

-- SetStatus also forgets about the email of an approval that was taken back, its channel, and what followed it, and
-- about one that waits for somebody who wants none any more.
-- name: SetStatus :exec
UPDATE waitlist_users SET status = @status, updated_at = @updated_at, version = @version, left_at = sqlc.narg(left_at)::timestamptz,
    mail = CASE WHEN @status = 'approved' AND NOT (mail = 'waiting' AND sqlc.narg(left_at)::timestamptz IS NOT NULL) THEN mail ELSE '' END, mail_reply = CASE @status WHEN 'approved' THEN mail_reply ELSE '' END,
    opened_at = CASE @status WHEN 'approved' THEN opened_at END, arrived_at = CASE @status WHEN 'approved' THEN arrived_at END,
    downloaded_at = CASE @status WHEN 'approved' THEN downloaded_at END,
    invitation_ends_at = CASE @status WHEN 'approved' THEN invitation_ends_at END, reminded_at = CASE @status WHEN 'approved' THEN reminded_at END,
    reminder_hash = CASE @status WHEN 'approved' THEN reminder_hash END, invitation_expired_at = @expired_at,
    former_invited_at = @former_invited_at, former_expired_at = @former_expired_at,
    wave = CASE WHEN @by_wave::boolean THEN wave END, channel = CASE WHEN @by_wave::boolean AND @status = 'approved' THEN channel ELSE '' END
WHERE id = @id;

-- SetInvitation replaces the invitation that the entry had before, and returns the token by which
-- its person leaves the list, which stays. The invitation of somebody who has used an earlier one has no end.
-- name: SetInvitation :one
UPDATE waitlist_users SET invitation_hash = @hash::bytea, invited_at = @invited_at::timestamptz, mail = 'waiting', mail_reply = '',
    invitation_ends_at = CASE WHEN opened_at IS NULL AND arrived_at IS NULL THEN sqlc.narg('ends_at')::timestamptz END, reminded_at = NULL, reminder_hash = NULL,
    leave_token = coalesce(leave_token, gen_random_uuid())
WHERE id = @id
RETURNING leave_token::uuid, invitation_ends_at;

-- DropInvitation is for approvals that are undone, whose links have not left. That of an earlier invitation works no
-- more, so that its hash need not come back.
-- name: DropInvitation :exec
UPDATE waitlist_users SET invited_at = former_invited_at, invitation_hash = CASE WHEN former_invited_at IS NOT NULL THEN invitation_hash END,
    former_invited_at = NULL, former_expired_at = NULL
WHERE id = ANY (@ids::uuid[]);

-- SetMail is about the email of one approval: after another one it changes nothing. What the provider has reported of it
-- may be known before it is noted that it was sent. An approval email that was sent, however late, starts the
-- invitation: its end moves by as much, so that it is never before the day that the email names.
-- name: SetMail :exec
UPDATE waitlist_users SET mail = @mail, mail_reply = @reply,
    invitation_ends_at = CASE WHEN @starts::boolean AND mail <> 'sent' AND invited_at < now() THEN invitation_ends_at + (now() - invited_at) ELSE invitation_ends_at END,
    invited_at = CASE WHEN @starts::boolean AND mail <> 'sent' AND invited_at < now() THEN now() ELSE invited_at END
WHERE id = @id AND version = @version AND status = 'approved' AND NOT (@mail = 'sent' AND mail IN ('bounced', 'complained'));

-- SetLeft notes of the email of one approval that it was not sent because its person wants none.
-- name: SetLeft :exec
UPDATE waitlist_users SET mail = '', mail_reply = '', left_at = coalesce(left_at, now())
WHERE id = @id AND version = @version AND status = 'approved';

-- name: LockLeaver :one
SELECT * FROM waitlist_users WHERE leave_token = @token::uuid FOR UPDATE;

-- name: InvitedEntry :one
SELECT * FROM waitlist_users WHERE (invitation_hash = @hash::bytea OR reminder_hash = @hash) AND status = 'approved' AND invited_at > @since::timestamptz;

-- name: LockInvitedEntry :one
SELECT * FROM waitlist_users WHERE (invitation_hash = @hash::bytea OR reminder_hash = @hash) AND status = 'approved' AND invited_at > @since::timestamptz FOR UPDATE;

-- SetClaim also uses the invitation, which an entry that follows its account to another address does not.
-- name: SetClaim :exec
UPDATE waitlist_users SET claimed_by = @account::uuid, claimed_email = @email::text, claimed_spelled = @spelled::text, opened_at = coalesce(opened_at, @now::timestamptz)
WHERE id = @id;

-- name: DropClaim :exec
UPDATE waitlist_users SET claimed_by = NULL, claimed_email = '', claimed_spelled = '' WHERE id = @id;

-- ClaimFormer gives the entries of addresses that an account had to that account. Without a new address
-- they keep their own one until it is known. The entry of the present address needs no claim.
-- name: ClaimFormer :exec
UPDATE waitlist_users SET claimed_by = @account::uuid, claimed_email = coalesce(nullif(@email::text, ''), email),
    claimed_spelled = CASE @email WHEN '' THEN spelled ELSE @spelled::text END
WHERE email = ANY (@former::text[]) AND email <> @email AND claimed_by IS NULL;

-- MoveClaims also ends the claim of the entry whose own address the account has now.
-- name: MoveClaims :exec
UPDATE waitlist_users SET claimed_by = CASE WHEN email = @email::text THEN NULL ELSE claimed_by END,
    claimed_email = CASE WHEN email = @email THEN '' ELSE @email END, claimed_spelled = CASE WHEN email = @email THEN '' ELSE @spelled::text END
WHERE claimed_by = @account::uuid AND (claimed_email <> @email OR email = @email);

-- DeleteEntries deletes the entries of the addresses, and those that the account has claimed. Who has joined with an
-- address since the account was deleted is somebody else.
-- name: DeleteEntries :many
DELETE FROM waitlist_users
WHERE email = ANY (@emails::text[]) AND created_at <= @deleted::timestamptz OR claimed_by = @account::uuid
RETURNING id, email;

-- name: ListEntries :many
SELECT * FROM waitlist_users
WHERE (created_at, id) < (@before_created_at::timestamptz, @before_id::uuid)
ORDER BY created_at DESC, id DESC
LIMIT @page_size;

-- name: ListEntriesByStatus :many
SELECT * FROM waitlist_users
WHERE status = @status AND (created_at, id) < (@before_created_at::timestamptz, @before_id::uuid)
ORDER BY created_at DESC, id DESC
LIMIT @page_size;

-- A search looks at both addresses of a claimed entry, its own and that of the account, and at the letters of a
-- domain beyond ASCII.
-- name: SearchEntries :many
SELECT * FROM waitlist_users
WHERE (email LIKE @pattern::text OR spelled <> '' AND spelled LIKE @spelled::text OR claimed_by IS NOT NULL AND (claimed_email LIKE @pattern OR claimed_spelled <> '' AND claimed_spelled LIKE @spelled))
  AND (created_at, id) < (@before_created_at::timestamptz, @before_id::uuid)
ORDER BY created_at DESC, id DESC
LIMIT @page_size;

-- name: SearchEntriesByStatus :many
SELECT * FROM waitlist_users
WHERE (email LIKE @pattern::text OR spelled <> '' AND spelled LIKE @spelled::text OR claimed_by IS NOT NULL AND (claimed_email LIKE @pattern OR claimed_spelled <> '' AND claimed_spelled LIKE @spelled)) AND status = @status
  AND (created_at, id) < (@before_created_at::timestamptz, @before_id::uuid)
ORDER BY created_at DESC, id DESC
LIMIT @page_size;

-- ListUndelivered has few rows to filter, so that one statement does for all filters.
-- name: ListUndelivered :many
SELECT * FROM waitlist_users
WHERE mail IN ('bounced', 'given_up') AND (@status::text = '' OR status = @status) AND (email LIKE @pattern::text OR spelled <> '' AND spelled LIKE @spelled::text OR claimed_by IS NOT NULL AND (claimed_email LIKE @pattern OR claimed_spelled <> '' AND claimed_spelled LIKE @spelled))
  AND (created_at, id) < (@before_created_at::timestamptz, @before_id::uuid)
ORDER BY created_at DESC, id DESC
LIMIT @page_size;

-- name: CountUndelivered :one
SELECT count(*) FROM waitlist_users WHERE mail IN ('bounced', 'given_up');

-- LockUnreminded are the entries whose approval email was sent so many seconds ago, and at most twice
-- as many, whose person has not used the invitation and was not reminded of it, but the first @skip.
-- name: LockUnreminded :many
SELECT * FROM waitlist_users
WHERE status = 'approved' AND opened_at IS NULL AND arrived_at IS NULL
  AND reminded_at IS NULL AND mail = 'sent' AND left_at IS NULL
  AND invited_at < now() - make_interval(secs => @seconds::float8) AND invited_at > now() - make_interval(secs => 2 * @seconds::float8)
  AND (invitation_ends_at IS NULL OR invitation_ends_at > now())
ORDER BY invited_at
LIMIT @size OFFSET @skip
FOR UPDATE SKIP LOCKED;

-- SetReminded returns the token by which the person leaves the list.
-- name: SetReminded :one
UPDATE waitlist_users SET reminded_at = now(), reminder_hash = @hash::bytea,
    leave_token = coalesce(leave_token, gen_random_uuid())
WHERE id = @id
RETURNING leave_token::uuid;

-- LockEnded are the entries whose person got the invitation and has not used it until its end. Whoever wants
-- no emails could not be invited again, and keeps it. The first @skip are left out.
-- name: LockEnded :many
SELECT * FROM waitlist_users
WHERE status = 'approved' AND opened_at IS NULL AND arrived_at IS NULL AND left_at IS NULL
  AND mail = 'sent' AND invitation_ends_at <= now()
ORDER BY invitation_ends_at
LIMIT @size OFFSET @skip
FOR UPDATE SKIP LOCKED;

-- Unspelled are entries with a domain that may have letters beyond ASCII that were written without the letters, as
-- the version before does, and those whose claim it has changed since: the letters are of the address that was.
-- Those that somebody else is at are left for the next time.
-- name: Unspelled :many
SELECT id, email, claimed_email FROM waitlist_users
WHERE email LIKE '%xn--%' AND spelled = '' OR claimed_by IS NOT NULL AND claimed_email LIKE '%xn--%' AND claimed_spelled = ''
    OR claimed_spelled <> '' AND (claimed_by IS NULL OR claimed_email NOT LIKE '%xn--%')
LIMIT @size
FOR UPDATE SKIP LOCKED;

-- name: SetSpelled :exec
UPDATE waitlist_users SET spelled = input.spelled, claimed_spelled = input.claimed_spelled
FROM (SELECT unnest(@ids::uuid[]) AS id, unnest(@spelled::text[]) AS spelled, unnest(@claimed_spelled::text[]) AS claimed_spelled) AS input
WHERE waitlist_users.id = input.id;
