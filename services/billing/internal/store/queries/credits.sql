-- CreditState is what an account has of the grants in force. due says that some of
-- it has ended and credits_lapse has to come first.
-- name: CreditState :one
SELECT (a.next_due IS NOT NULL AND a.next_due <= @now::timestamptz)::boolean AS due,
       coalesce(sum(g.remaining - g.held), 0)::bigint AS balance,
       coalesce(sum(g.amount - g.withdrawn), 0)::bigint AS granted,
       coalesce(sum(g.amount - g.withdrawn - g.remaining), 0)::bigint AS used,
       coalesce(sum(g.held), 0)::bigint AS held,
       coalesce(min(g.period_end), '0001-01-01')::timestamptz AS period_end
FROM credit_accounts a LEFT JOIN credit_grants g ON g.user_id = a.user_id AND g.ended_at IS NULL
WHERE a.user_id = @user_id GROUP BY a.user_id;

-- name: CreditEndings :many
SELECT (CASE WHEN period_end > @now::timestamptz THEN period_end ELSE expires_at END)::timestamptz AS ends_at,
       sum(remaining - held)::bigint AS amount
FROM credit_grants
WHERE user_id = @user_id AND ended_at IS NULL AND remaining > held AND expires_at > @now::timestamptz
GROUP BY 1 ORDER BY 1;

-- name: ListEntries :many
SELECT e.number, e."time", e.kind, e.amount, e.balance_after, e.description,
       coalesce(p.amount, 0)::bigint AS paid, coalesce(p.currency, '')::text AS currency
FROM credit_entries e LEFT JOIN credit_payments p ON e.kind = 'grant' AND p.grant_id = e.grant_ids[1]
WHERE e.user_id = @user_id AND e.number < @before ORDER BY e.number DESC LIMIT @page_size;

-- name: PutPayment :exec
INSERT INTO credit_payments (grant_id, user_id, invoice, amount, currency)
SELECT id, user_id, @invoice, @amount, @currency FROM credit_grants WHERE fact = @fact
ON CONFLICT DO NOTHING;

-- DailySpend has a row for each of 30 days in UTC, from first_day on. Numbers and
-- times of an account rise together, so the last entry before bounds the scan.
-- name: DailySpend :many
WITH starts AS (
    SELECT @first_day::timestamptz AS first_day
), days AS (
    SELECT first_day + n * interval '1 day' AS day FROM starts, generate_series(0, 29) AS n
), spent AS (
    SELECT date_bin('1 day', e."time", starts.first_day) AS day, -sum(e.amount) AS amount
    FROM starts, credit_entries e
    WHERE e.user_id = @user_id AND e.kind = 'consume' AND e."time" >= starts.first_day
      AND e.number > coalesce((SELECT b.number FROM credit_entries b WHERE b.user_id = @user_id AND b."time" < starts.first_day
                               ORDER BY b.number DESC LIMIT 1), 0)
    GROUP BY 1
)
SELECT days.day::timestamptz AS day, coalesce(spent.amount, 0)::bigint AS amount
FROM days LEFT JOIN spent ON spent.day = days.day ORDER BY days.day;

-- name: GrantOwner :one
SELECT user_id FROM credit_grants WHERE fact = @fact;

-- name: Given :one
SELECT amount, reference FROM credit_grants WHERE fact = @fact;

-- name: Withdrawal :one
SELECT wanted, taken FROM credit_withdrawals WHERE fact = @fact;

-- name: Restoration :one
SELECT r.given, (g.ended_at IS NOT NULL)::boolean AS ended, g.period_start, g.period_end
FROM credit_restorations r JOIN credit_grants g ON g.id = r.grant_id WHERE r.fact = @fact;

-- Turns is how often a clawback of a grant was void, and whether it stands.
-- name: Turns :one
SELECT count(r.fact) AS void, coalesce(bool_or(r.fact IS NULL), false)::boolean AS stands
FROM credit_withdrawals w JOIN credit_grants g ON g.id = w.grant_id LEFT JOIN credit_restorations r ON r.fact = w.fact
WHERE g.fact = @grant_fact AND (w.fact = @fact::text OR starts_with(w.fact, @fact::text || '/'));

-- DueAccounts are those of which something may have ended, the longest overdue first.
-- name: DueAccounts :many
SELECT user_id, next_due::timestamptz AS next_due FROM credit_accounts
WHERE next_due <= @now::timestamptz AND (next_due, user_id) > (@after_due::timestamptz, @after_user::uuid)
ORDER BY next_due, user_id LIMIT @page_size;

-- CheckAccounts recomputes accounts from what happened and names what differs.
-- It is one statement, so each account is seen as it was at one moment.
-- name: CheckAccounts :many
SELECT a.user_id,
       concat_ws(', ',
           CASE WHEN a.balance <> e.total THEN 'balance is not the sum of the entries' END,
           CASE WHEN a.entries <> e.amount_of OR a.entries <> e.newest THEN 'entries are missing' END,
           CASE WHEN NOT e.chained THEN 'a balance after an entry is wrong' END,
           CASE WHEN a.balance <> g.remaining THEN 'balance is not the sum of the grants' END,
           CASE WHEN a.held <> g.held THEN 'held is not the sum over the grants' END,
           CASE WHEN a.held <> h.held THEN 'held is not the sum of the open holds' END,
           CASE WHEN NOT g.explained THEN 'a grant is not explained by its entries' END
       )::text AS problem
FROM (SELECT * FROM credit_accounts x WHERE x.user_id > @after::uuid ORDER BY x.user_id LIMIT @page_size) a
CROSS JOIN LATERAL (
    SELECT coalesce(sum(amount), 0) AS total, count(*) AS amount_of, coalesce(max(number), 0) AS newest,
           coalesce(bool_and(balance_after = running), true) AS chained
    FROM (SELECT number, amount, balance_after, sum(amount) OVER (ORDER BY number) AS running
          FROM credit_entries WHERE user_id = a.user_id) chain
) e
CROSS JOIN LATERAL (
    SELECT coalesce(sum(o.amount), 0) AS held FROM credit_holds o WHERE o.user_id = a.user_id AND o.ended_at IS NULL
) h
CROSS JOIN LATERAL (
    SELECT coalesce(sum(r.remaining), 0) AS remaining, coalesce(sum(r.held), 0) AS held,
           coalesce(bool_and(r.remaining = coalesce(m.moved, 0)), true) AS explained
    FROM credit_grants r
    LEFT JOIN (SELECT x.grant_ids[i] AS grant_id, sum(x.parts[i]) AS moved
               FROM credit_entries x, generate_subscripts(x.grant_ids, 1) AS i
               WHERE x.user_id = a.user_id GROUP BY 1) m ON m.grant_id = r.id
    WHERE r.user_id = a.user_id
) g
ORDER BY a.user_id;

-- AdjustedBy is what a fact of an adjustment gave, or, negative, took.
-- name: AdjustedBy :one
SELECT g.amount FROM credit_grants g WHERE g.fact = @fact
UNION ALL SELECT -w.wanted FROM credit_withdrawals w WHERE w.fact = @fact
LIMIT 1;

-- name: BalanceOf :one
SELECT balance FROM credit_accounts WHERE user_id = @user_id;

-- MarksOf is what of an account went back: credits that were spent before, and disputed payments
-- that are open or lost. A dispute may have taken of several grants, and have been turned round.
-- name: MarksOf :one
SELECT coalesce((SELECT sum(g.owed) FROM credit_grants g WHERE g.user_id = @user_id), 0)::bigint AS owed,
    (SELECT count(DISTINCT split_part(w.fact, '/', 2)) FROM credit_withdrawals w
     WHERE w.user_id = @user_id AND starts_with(w.fact, 'dispute/') AND NOT EXISTS (SELECT FROM credit_restorations r WHERE r.fact = w.fact)) AS disputes;

-- Marked are the accounts with any of that, those first that owe the most.
-- name: Marked :many
SELECT user_id, sum(owed)::bigint AS owed, sum(disputes)::bigint AS disputes FROM (
    SELECT g.user_id, sum(g.owed) AS owed, 0 AS disputes FROM credit_grants g WHERE g.owed > 0 GROUP BY g.user_id
    UNION ALL
    SELECT w.user_id, 0, count(DISTINCT split_part(w.fact, '/', 2)) FROM credit_withdrawals w
    WHERE starts_with(w.fact, 'dispute/') AND NOT EXISTS (SELECT FROM credit_restorations r WHERE r.fact = w.fact) GROUP BY w.user_id) marks
GROUP BY user_id ORDER BY owed DESC, disputes DESC, user_id LIMIT @most;
