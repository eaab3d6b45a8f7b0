-- Accounts with two entries of the audit log for each, as many as the setting seed.rows says (`make seed`).

-- Kratos knows none of the accounts. They are marked as gone from there long ago, so that
-- nobody asks it about them; lists show them like all others.
WITH added AS (
    INSERT INTO users (id, email, provider, identities, email_confirmed_at, created_at, last_sign_in_at, disabled_at, disabled_because)
    SELECT gen_random_uuid(),
           (ARRAY['ada', 'bob', 'cyd', 'dee', 'eli', 'fay', 'gus', 'hal'])[1 + n % 8] || '.' || substr(md5(random()::text), 1, 12)
               || '@' || (ARRAY['example.com', 'mail.test', 'studio.test', 'quartz.test'])[1 + n % 4],
           'google', '{google}', at, at, at + interval '1 hour', at + interval '1 day', 'gone'
    FROM (SELECT n, now() - interval '3 days' - random() * interval '300 days' AS at FROM generate_series(1, current_setting('seed.rows')::int) n) invented
    RETURNING id, email, created_at
)
INSERT INTO user_roles (user_id, role, granted_at)
SELECT id, role, created_at
FROM added CROSS JOIN LATERAL (SELECT 'user' AS role UNION ALL SELECT 'moderator' WHERE email LIKE '%7@%') held;

INSERT INTO audit_log (id, at, service, actor_id, actor_email, action, subject, subject_label, before, after, client_ip, user_agent, request_id)
SELECT gen_random_uuid(), now() - random() * interval '90 days', split_part(action, '.', 1),
       ('00000000-0000-4000-8000-00000000000' || n % 5)::uuid, 'staff' || n % 5 || '@example.com', action,
       gen_random_uuid()::text, substr(md5(random()::text), 1, 12) || '@mail.test',
       '{"status": "pending"}', '{"status": "approved"}', '203.0.113.' || n % 256, 'Mozilla/5.0 (Macintosh)', gen_random_uuid()::text
FROM (
    SELECT n, (ARRAY['waitlist.approved', 'waitlist.approved', 'waitlist.approved', 'waitlist.removed', 'ticket.updated', 'ticket.updated',
                     'waitlist.added', 'user.roles_changed'])[1 + n % 8] AS action
    FROM generate_series(1, 2 * current_setting('seed.rows')::int) n
) invented;
