-- The table of insert.sql, in a schema beside the service's own tables.
CREATE SCHEMA pgbench;
CREATE TABLE pgbench.plain (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, email text NOT NULL UNIQUE, source text NOT NULL, created_at timestamptz NOT NULL);

-- PostgreSQL goes through the files of its write-ahead log, as one that is in use has: a
-- new one first makes each of them, and all writers wait meanwhile.
SET statement_timeout = 0;
SELECT count(pg_logical_emit_message(false, 'bench', repeat('x', 4 << 20))) FROM generate_series(1, 256);
