-- Note notes nothing of an account that was erased: late events still tell of its subscriptions.
-- name: Note :exec
INSERT INTO notices (user_id, key, kind, says, noted_at)
SELECT @user_id, @key, @kind, @says, @now
WHERE NOT EXISTS (SELECT FROM account_states a WHERE a.user_id = @user_id AND a.state = 'erased')
ON CONFLICT DO NOTHING;

-- name: NoticesSeen :one
SELECT through FROM notices_seen;

-- name: SetNoticesSeen :exec
INSERT INTO notices_seen (through) VALUES (@through) ON CONFLICT (single) DO UPDATE SET through = EXCLUDED.through;

-- NoteLowCredits notes accounts that have spent since a moment and have at most a percentage left
-- of what they were granted. Until credits are added, each percentage is told once; of several that
-- are reached together, only the lowest is.
-- name: NoteLowCredits :exec
INSERT INTO notices (user_id, key, kind, says, noted_at, ended_at)
SELECT spent.user_id, format('low/%s/%s', limits.percent, has.newest), CASE WHEN limits.percent = 0 THEN 'used_up' ELSE 'low' END,
       json_build_object('left', has.remaining, 'granted', has.granted), @now::timestamptz,
       CASE WHEN limits.percent > min(limits.percent) OVER (PARTITION BY spent.user_id) THEN @now::timestamptz END
FROM (SELECT DISTINCT e.user_id FROM credit_entries e WHERE e."time" > @since::timestamptz AND e.kind = 'consume') spent
CROSS JOIN LATERAL (
    SELECT sum(g.remaining) AS remaining, sum(g.amount - g.withdrawn) AS granted, max(g.id) AS newest
    FROM credit_grants g WHERE g.user_id = spent.user_id AND g.ended_at IS NULL
) has
CROSS JOIN unnest(@percents::int[]) AS limits (percent)
WHERE has.granted > 0 AND has.remaining * 100 <= has.granted * limits.percent
ON CONFLICT DO NOTHING;

-- NoteEndingCredits notes accounts with at least a whole credit that ends soon, which is told a while
-- before the period ends: of credits that are given for less than twice that while, when half of
-- their time is over. Once that comes for some, all that end on their day are told together. Free
-- credits, which come again each month, are not told.
-- name: NoteEndingCredits :exec
WITH look AS (SELECT @since::timestamptz AS since, @now::timestamptz AS now, @until::timestamptz AS until)
INSERT INTO notices (user_id, key, kind, says, noted_at)
SELECT g.user_id, 'ending/' || to_char(min(g.period_end) AT TIME ZONE 'UTC', 'YYYY-MM-DD'), 'ending',
       json_build_object('left', sum(g.remaining - g.held), 'at', min(g.period_end)), min(look.now)
FROM look JOIN credit_grants g ON g.period_end > look.now AND g.period_end < date_trunc('day', look.until, 'UTC') + interval '1 day'
CROSS JOIN LATERAL (SELECT g.period_end - least(look.until - look.now, (g.period_end - g.created_at) / 2) AS told_at) due
WHERE g.ended_at IS NULL AND g.remaining > g.held AND NOT starts_with(g.fact, 'free/')
GROUP BY g.user_id, date_trunc('day', g.period_end, 'UTC')
HAVING sum(g.remaining - g.held) >= 100 AND bool_or(due.told_at > look.since AND due.told_at <= look.now)
ON CONFLICT DO NOTHING;

-- OpenNotices leaves out the oldest ones, as many as were skipped.
-- name: OpenNotices :many
SELECT user_id, key, kind, says FROM notices WHERE ended_at IS NULL ORDER BY noted_at, user_id, key LIMIT @page_size OFFSET @skip;

-- name: GetNotice :one
SELECT kind, says FROM notices WHERE user_id = @user_id AND key = @key;

-- name: EndNotice :execrows
UPDATE notices SET ended_at = @now::timestamptz WHERE user_id = @user_id AND key = @key AND ended_at IS NULL;

-- name: EraseNotices :exec
DELETE FROM notices WHERE user_id = @user_id;
