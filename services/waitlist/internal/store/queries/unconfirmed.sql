-- AddUnconfirmed writes the sign-ups whose address is not on the list, and returns those that an email is due
-- for: new ones, and known ones whose last email was before @again and who had fewer than @most. Arrays are parallel;
-- their order is that of AddEntries.
-- name: AddUnconfirmed :many
INSERT INTO unconfirmed AS known (id, email, source, consent, created_at, mailed_at, ends_at)
SELECT id, email, source, @consent::text, created_at, created_at, @ends_at::timestamptz FROM (
    SELECT DISTINCT ON (email) * FROM (
        SELECT unnest(@ids::uuid[]) AS id,
               unnest(@emails::text[]) COLLATE "C" AS email,
               unnest(@sources::text[]) AS source,
               unnest(@created_ats::timestamptz[]) AS created_at,
               generate_series(1, cardinality(@ids::uuid[])) AS n
    ) AS signed_up
    ORDER BY email, n
) AS input
WHERE NOT EXISTS (SELECT FROM waitlist_users entries WHERE entries.email = input.email)
ORDER BY email
ON CONFLICT (email) DO UPDATE SET source = excluded.source, consent = excluded.consent, created_at = excluded.created_at, mails = known.mails + 1,
    mailed_at = excluded.mailed_at, ends_at = excluded.ends_at, mail = 'waiting', mail_reply = ''
    WHERE known.mails < @most::integer AND known.mailed_at < @again::timestamptz
RETURNING *;

-- name: TakeUnconfirmed :many
DELETE FROM unconfirmed WHERE token = @token::uuid AND ends_at > @now::timestamptz
RETURNING *;

-- AddConfirmed returns whether the address is new on the list. The link in the email by which its person takes
-- the address back is the one by which they leave the list, unless the entry has one already.
-- name: AddConfirmed :one
INSERT INTO waitlist_users (id, email, spelled, status, source, created_at, updated_at, version, consent, consented_at, confirmed_at, leave_token)
VALUES (@id, @email, @spelled, 'pending', @source, @now::timestamptz, @now, 1, @consent, @consented_at::timestamptz, @now, @token::uuid)
ON CONFLICT (email) DO UPDATE SET leave_token = coalesce(waitlist_users.leave_token, excluded.leave_token),
    confirmed_at = coalesce(waitlist_users.confirmed_at, excluded.confirmed_at)
RETURNING (id = @id)::boolean AS is_new;

-- SetConfirmed is for the link of an address that is on the list: it was used before, or staff have added the
-- address meanwhile.
-- name: SetConfirmed :execrows
UPDATE waitlist_users SET confirmed_at = coalesce(confirmed_at, @now::timestamptz) WHERE leave_token = @token::uuid AND left_at IS NULL;

-- name: DropUnconfirmed :exec
DELETE FROM unconfirmed WHERE email = ANY (@emails::text[]);

-- TakeRefused puts the sign-up of a token on the list without its consent, for its person to leave that: so there is no
-- other one.
-- name: TakeRefused :exec
WITH refused AS (DELETE FROM unconfirmed WHERE token = @token::uuid RETURNING *)
INSERT INTO waitlist_users (id, email, status, source, created_at, updated_at, version, leave_token)
SELECT id, email, 'pending', source, created_at, created_at, 1, token FROM refused
ON CONFLICT (email) DO UPDATE SET leave_token = coalesce(waitlist_users.leave_token, excluded.leave_token);

-- Refused are the tokens of those whom the version before has kept aside.
-- name: Refused :many
SELECT token FROM unconfirmed WHERE refused_at IS NOT NULL;

-- CleanUnconfirmed leaves those that somebody has locked to the next run.
-- name: CleanUnconfirmed :execrows
DELETE FROM unconfirmed WHERE id IN (SELECT u.id FROM unconfirmed u
    WHERE u.mailed_at < @before::timestamptz ORDER BY u.mailed_at LIMIT @count FOR UPDATE SKIP LOCKED);

-- name: Unconfirmed :one
SELECT EXISTS (SELECT FROM unconfirmed WHERE id = @id AND mails = @mails AND ends_at > @now::timestamptz);

-- SetUnconfirmedMail is SetMail for a sign-up.
-- name: SetUnconfirmedMail :exec
UPDATE unconfirmed SET mail = @mail, mail_reply = @reply
WHERE id = @id AND mails = @mails AND NOT (@mail = 'sent' AND mail IN ('bounced', 'complained'));

-- name: SetUnconfirmedReport :exec
UPDATE unconfirmed SET mail = @mail, mail_reply = @reply WHERE email = @email;

-- ListUnconfirmed reads all rows for a part of an address that few have, and returns all whose domain may have letters beyond
-- ASCII, which the caller looks at. They are the sign-ups of a week: too few for an index of trigrams, which each sign-up would pay for.
-- name: ListUnconfirmed :many
SELECT * FROM unconfirmed
WHERE (created_at, id) < (@before_created_at::timestamptz, @before_id::uuid)
  AND (email LIKE @pattern::text OR email LIKE '%xn--%')
ORDER BY created_at DESC, id DESC
LIMIT @page_size;

-- CountUnconfirmed counts those whose link works. It reads all rows, as ListUnconfirmed may: of a week's sign-ups those of
-- three days count, so that an index would spare it little.
-- name: CountUnconfirmed :one
SELECT count(*) FROM unconfirmed WHERE ends_at > @now::timestamptz;
