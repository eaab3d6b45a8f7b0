-- Tickets of the last 90 days, the newest last, 20 of each person, with answers and histories, as many as the setting seed.rows says (`make seed`).
-- The running service makes them searchable, the newest first.

WITH people AS (
    SELECT n, md5('seeded customer ' || n)::uuid AS id, 'customer' || n || '@seed.example' AS email FROM generate_series(0, greatest(1, current_setting('seed.rows')::int / 20) - 1) AS n
), made AS (
    SELECT t.n, p.id AS user_id, p.email,
           (ARRAY ['bug', 'feature_request', 'billing', 'technical_support', 'other'])[1 + t.n % 5] AS category,
           (ARRAY ['medium', 'low', 'high', 'medium', 'low', 'medium', 'urgent'])[1 + t.n % 7] AS priority,
           (ARRAY ['resolved', 'closed', 'open', 'resolved', 'closed', 'in_progress', 'closed', 'resolved', 'closed'])[1 + t.n % 9] AS status,
           (ARRAY ['The preview stays blank', 'Cannot export to Xcode', 'Charged twice this month', 'Dark mode, please', 'Build fails after update',
                   'How do I add a tab bar?', 'The simulator is slow', 'Figma import loses colours'])[1 + t.n % 8] AS subject,
           'Since yesterday my app "' || (ARRAY ['Lumen', 'Harbor', 'Fern', 'Quill', 'Tally', 'Nimbus', 'Pace', 'Orbit', 'Ember', 'Drift', 'Cove'])[1 + t.n % 11]
               || '" behaves oddly. ' || repeat('I tried the steps from the guide and restarted the Mac, but the screen stays the same. ', 1 + t.n % 4)
               || 'Reference ' || substr(md5('ref ' || t.n), 1, 12) || '.' AS message,
           now() - (t.n * interval '90 days' / current_setting('seed.rows')::int) AS at
    FROM generate_series(0, current_setting('seed.rows')::int - 1) AS t (n) JOIN people p ON p.n = t.n % greatest(1, current_setting('seed.rows')::int / 20)
), tickets AS (
    INSERT INTO tickets (id, user_id, user_email, category, priority, status, subject, message, app_version, operating_system,
                         created_at, updated_at, version, idempotency_key, fingerprint, last_message_at, last_message_by, waiting_since, answered_at)
    SELECT gen_random_uuid(), user_id, email, category, priority, status, subject, message, '1.' || n % 20 || '.0', 'macOS ' || 12 + n % 4,
           at, least(at + interval '3 hours', now()), CASE WHEN status = 'open' THEN 1 ELSE 2 END,
           'seed-' || gen_random_uuid(), sha256(message::bytea),
           CASE WHEN status = 'open' THEN at ELSE least(at + interval '3 hours', now()) END, CASE WHEN status = 'open' THEN 'customer' ELSE 'staff' END,
           CASE WHEN status = 'open' THEN at END, CASE WHEN status <> 'open' THEN least(at + interval '3 hours', now()) END
    FROM made ORDER BY at
    RETURNING id, status, updated_at, version
), answers AS (
    INSERT INTO ticket_messages (id, ticket_id, author, author_id, author_email, body, created_at)
    SELECT gen_random_uuid(), id, 'staff', md5('seeded staff')::uuid, 'staff@seed.example', 'Thank you for writing to us. We looked into it.', updated_at
    FROM tickets WHERE status <> 'open'
), notes AS (
    INSERT INTO ticket_notes (id, ticket_id, author_id, author_email, body, created_at)
    SELECT gen_random_uuid(), id, md5('seeded staff')::uuid, 'staff@seed.example', 'Seen on another Mac, too.', updated_at
    FROM tickets WHERE status = 'in_progress'
)
INSERT INTO ticket_changes (ticket_id, version, at, actor_id, actor_email, field, from_value, to_value)
SELECT id, version, updated_at, md5('seeded staff')::uuid, 'staff@seed.example', 'status', 'open', status FROM tickets WHERE status <> 'open';
