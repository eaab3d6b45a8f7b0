-- Rows like those of `make seed`, the newest last, until there are as many as $1.
INSERT INTO waitlist_users (id, email, status, source, created_at, updated_at, version)
SELECT gen_random_uuid(), (ARRAY['ada', 'bob', 'cyd', 'dee'])[1 + n % 4] || '.' || substr(md5(n::text), 1, 12) || '@example.com',
       'pending', 'import', now() - (random() * interval '60 days'), now(), 1
FROM generate_series((SELECT count(*) FROM waitlist_users)::int + 1, $1::int) n
ON CONFLICT DO NOTHING
