-- name: AddDownloads :exec
-- Counts and totals in one statement. Every caller locks the rows in the same
-- order, table by table and sorted, so that none waits for another in a circle.
WITH given AS (
    SELECT unnest(@days::date[]) AS day, unnest(@versions::text[]) AS version, unnest(@filenames::text[]) AS filename,
           unnest(@archs::text[]) AS arch, unnest(@counts::bigint[]) AS count
), counted AS (
    INSERT INTO downloads (day, version, filename, arch, count)
    SELECT day, version, filename, arch, count FROM given ORDER BY day, version, filename
    ON CONFLICT (day, version, filename) DO UPDATE SET count = downloads.count + excluded.count
), by_day AS (
    INSERT INTO download_days AS d (day, total)
    SELECT day, sum(count) FROM given WHERE arch <> 'other' GROUP BY day ORDER BY day
    ON CONFLICT (day) DO UPDATE SET total = d.total + excluded.total
)
INSERT INTO download_versions AS v (version, arch, total)
SELECT version, arch, sum(count) FROM given WHERE arch <> 'other' GROUP BY version, arch ORDER BY version, arch
ON CONFLICT (version, arch) DO UPDATE SET total = v.total + excluded.total;

-- name: DownloadDays :many
SELECT day, total FROM download_days WHERE day >= @since ORDER BY day;

-- name: DownloadVersions :many
SELECT version, sum(total)::bigint AS total,
       coalesce(sum(total) FILTER (WHERE arch = 'arm64'), 0)::bigint AS arm64,
       coalesce(sum(total) FILTER (WHERE arch = 'x64'), 0)::bigint AS x64
FROM download_versions
GROUP BY version;
