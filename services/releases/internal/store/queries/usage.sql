-- name: AddUpdateChecks :exec
-- One that would be a row more than a day may have is counted as 'other'. All lock the rows in
-- the same order.
WITH given AS (
    SELECT unnest(@channels::text[]) AS channel, unnest(@versions::text[]) AS version, unnest(@archs::text[]) AS arch,
           unnest(@macos::text[]) AS macos, unnest(@counts::bigint[]) AS count
), numbered AS (
    SELECT g.*, c.day IS NOT NULL AS known,
           row_number() OVER (PARTITION BY c.day IS NULL ORDER BY g.count DESC, g.channel, g.version, g.arch, g.macos)
               + (SELECT count(*) FROM update_checks WHERE day = @day) AS place
    FROM given g
    LEFT JOIN update_checks c ON (c.day, c.channel, c.version, c.arch, c.macos) = (@day, g.channel, g.version, g.arch, g.macos)
), placed AS (
    SELECT channel, count, CASE WHEN fits THEN version ELSE 'other' END AS version,
           CASE WHEN fits THEN arch ELSE 'other' END AS arch, CASE WHEN fits THEN macos ELSE 'other' END AS macos
    FROM (SELECT n.*, known OR place <= @most::bigint AS fits FROM numbered n) AS judged
)
INSERT INTO update_checks AS u (day, channel, version, arch, macos, count)
SELECT @day, channel, version, arch, macos, sum(count) FROM placed GROUP BY channel, version, arch, macos ORDER BY channel, version, arch, macos
ON CONFLICT (day, channel, version, arch, macos) DO UPDATE SET count = u.count + excluded.count;

-- name: UsageDays :many
SELECT day, version, sum(count)::bigint AS total FROM update_checks WHERE day >= @since GROUP BY day, version;

-- name: UsageParts :many
SELECT p.kind::text AS kind, p.name::text AS name, sum(u.count)::bigint AS total
FROM update_checks u, LATERAL (VALUES ('arch', u.arch), ('macos', u.macos), ('channel', u.channel)) AS p (kind, name)
WHERE u.day >= @since
GROUP BY p.kind, p.name
ORDER BY total DESC, p.name;

-- name: ForgetUpdateChecks :exec
DELETE FROM update_checks WHERE day < @before;
