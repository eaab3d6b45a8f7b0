-- pgbench's side of a sign-up: one row with an address and its unique index.
\set n random(1, 1000000000000000)
INSERT INTO plain (email, source, created_at) VALUES ('person-' || :n || '@bench.test', 'hero_section', now()) ON CONFLICT (email) DO NOTHING;
