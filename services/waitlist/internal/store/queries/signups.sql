-- CountSignups adds counts, each for a day and a source. Arrays are parallel; a pair
-- occurs once. In the order of the keys, so that two replicas do not wait for each
-- other in a circle.
-- name: CountSignups :exec
INSERT INTO signup_daily (day, source, count)
SELECT day, source, count FROM (
    SELECT unnest(@days::date[]) AS day, unnest(@sources::text[]) AS source, unnest(@counts::bigint[]) AS count
) AS counted
ORDER BY day, source COLLATE "C"
ON CONFLICT (day, source) DO UPDATE SET count = signup_daily.count + excluded.count;
