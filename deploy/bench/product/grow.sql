-- Rows like those of `make seed`, the newest last, until there are as many as $1. Of a hundred people one has a domain beyond
-- ASCII and a consent, one has an email that has bounced, of which the provider has reported, too.
WITH people AS (
    INSERT INTO waitlist_users (id, email, spelled, status, source, created_at, updated_at, version, consent, consented_at)
    SELECT gen_random_uuid(), name || '@' || CASE n % 100 WHEN 50 THEN 'xn--bcher-kva.example' ELSE 'example.com' END,
           CASE n % 100 WHEN 50 THEN name || '@bücher.example' ELSE '' END,
           'pending', 'import', now() - (random() * interval '60 days'), now(), 1,
           CASE n % 100 WHEN 50 THEN '2026-11' ELSE '' END, CASE n % 100 WHEN 50 THEN now() END
    FROM (SELECT n, (ARRAY['ada', 'bob', 'cyd', 'dee'])[1 + n % 4] || '.' || substr(md5(n::text), 1, 12) AS name
          FROM generate_series((SELECT count(*) FROM waitlist_users)::int + 1, $1::int) n) AS input
    ON CONFLICT DO NOTHING
    RETURNING id, email
), hundredth AS (
    SELECT id, email FROM people WHERE get_byte(uuid_send(id), 15) % 100 = 0
), reported AS (
    INSERT INTO mail.reports (id, address, kind, reason, reported_at) SELECT id, email, 'bounced', '550 5.1.1', now() FROM hundredth
)
INSERT INTO mail.river_job (kind, args, max_attempts, queue, state, attempt, finalized_at, metadata)
SELECT 'letter', jsonb_build_object('key', id, 'message', jsonb_build_object('To', email, 'Subject', 'You are in')), 1, 'default', 'discarded', 1, now(),
       '{"output": {"state": "bounced", "reply": "550 5.1.1"}}'
FROM hundredth
