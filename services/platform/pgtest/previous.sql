WITH relations AS (
    SELECT c.oid, CASE WHEN n.nspname = 'public' THEN '' ELSE n.nspname || '.' END || c.relname AS name
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'c') AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema'
      AND c.relname NOT LIKE 'schema\_version\_%' AND c.relname <> 'schema_functions'
), columns AS (
    SELECT attrelid, jsonb_object_agg(attname, jsonb_build_object('type', format_type(atttypid, atttypmod),
        'nullable', NOT attnotnull, 'filled', NOT attnotnull OR atthasdef OR attidentity <> '')) AS list
    FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped GROUP BY attrelid
), constraints (relation, name, definition) AS (
    SELECT conrelid, conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE contype IN ('p', 'u', 'c', 'f', 'x')
    UNION ALL
    SELECT x.indrelid, i.relname, pg_get_indexdef(i.oid) FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
    WHERE x.indisunique AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.oid)
    UNION ALL
    SELECT tgrelid, tgname, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
)
SELECT (
    SELECT jsonb_object_agg(r.name, jsonb_build_object('columns', c.list, 'constraints',
        (SELECT coalesce(jsonb_object_agg(k.name, k.definition), '{}') FROM constraints k WHERE k.relation = r.oid)))
    FROM relations r JOIN columns c ON c.attrelid = r.oid
), (
    SELECT coalesce(jsonb_object_agg(format('%s(%s)', p.proname, pg_get_function_identity_arguments(p.oid)), pg_get_function_result(p.oid)), '{}')
    FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.prokind IN ('f', 'p') AND p.prorettype <> 'trigger'::regtype
      AND p.oid NOT IN (SELECT objid FROM pg_depend WHERE deptype = 'e')
)
