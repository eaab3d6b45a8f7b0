-- Entries of the last 60 days, as many as the setting seed.rows says (`make seed`).

WITH invented AS (
    SELECT gen_random_uuid() AS id,
           (ARRAY['ada', 'bob', 'cyd', 'dee', 'eli', 'fay', 'gus', 'hal'])[1 + n % 8] || '.' || substr(md5(random()::text), 1, 12)
               || '@' || (ARRAY['example.com', 'mail.test', 'studio.test', 'quartz.test'])[1 + n % 4] AS email,
           (ARRAY['pending', 'pending', 'pending', 'approved', 'approved', 'rejected'])[1 + floor(6 * random())::int] AS status,
           (ARRAY['hero_section', 'hero_section', 'cta_section', 'import', 'admin'])[1 + floor(5 * random())::int] AS source,
           now() - random() * interval '60 days' AS created_at
    FROM generate_series(1, current_setting('seed.rows')::int) n
)
INSERT INTO waitlist_users (id, email, status, source, created_at, updated_at, version)
SELECT id, email, status, source, created_at,
       CASE status WHEN 'pending' THEN created_at ELSE created_at + random() * (now() - created_at) END,
       CASE status WHEN 'pending' THEN 1 ELSE 2 END
FROM invented
ON CONFLICT (email) DO NOTHING;
