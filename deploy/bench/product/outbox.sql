-- insert.sql with an event in the service's own outbox.
\set n random(1, 1000000000000000)
WITH event AS (INSERT INTO public.outbox (id, type, source, subject, payload) VALUES (gen_random_uuid(), 'fledge.waitlist.v1.bench.inserted', 'bench', :n::text, convert_to(repeat('x', 100), 'UTF8')))
INSERT INTO plain (email, source, created_at) VALUES ('person-' || :n || '@bench.test', 'hero_section', now()) ON CONFLICT (email) DO NOTHING;
