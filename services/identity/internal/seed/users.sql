WITH added AS (
    INSERT INTO users (id, email, provider, identities, email_confirmed_at, created_at, last_sign_in_at, disabled_at, disabled_because)
    SELECT gen_random_uuid(),
           (ARRAY['ada', 'bob', 'cyd', 'dee', 'eli', 'fay', 'gus', 'hal'])[1 + n % 8] || '.' || substr(md5(random()::text), 1, 12)
               || '@' || (ARRAY['example.com', 'mail.test', 'studio.test', 'quartz.test'])[1 + n % 4],
           'google', '{google}', at, at, at + interval '1 hour', at + interval '1 day', 'gone'
    FROM (SELECT n, now() - interval '3 days' - random() * interval '300 days' AS at FROM generate_series(1, $1::int) n) invented
    RETURNING id, email, created_at
)
INSERT INTO user_roles (user_id, role, granted_at)
SELECT id, role, created_at
FROM added CROSS JOIN LATERAL (SELECT 'user' AS role UNION ALL SELECT 'moderator' WHERE email LIKE '%7@%') held
