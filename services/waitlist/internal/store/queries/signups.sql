-- name: CountSignup :exec
INSERT INTO signup_daily (day, source, count) VALUES (@day, @source, 1)
ON CONFLICT (day, source) DO UPDATE SET count = signup_daily.count + 1;
