INSERT INTO audit_log (id, at, service, actor_id, actor_email, action, subject, subject_label, before, after, client_ip, user_agent, request_id)
SELECT gen_random_uuid(), now() - random() * interval '90 days', split_part(action, '.', 1),
       ('00000000-0000-4000-8000-00000000000' || n % 5)::uuid, 'staff' || n % 5 || '@example.com', action,
       gen_random_uuid()::text, substr(md5(random()::text), 1, 12) || '@mail.test',
       '{"status": "pending"}', '{"status": "approved"}', '203.0.113.' || n % 256, 'Mozilla/5.0 (Macintosh)', gen_random_uuid()::text
FROM (
    SELECT n, (ARRAY['waitlist.approved', 'waitlist.approved', 'waitlist.approved', 'waitlist.removed', 'ticket.updated', 'ticket.updated',
                     'waitlist.added', 'user.roles_changed'])[1 + n % 8] AS action
    FROM generate_series(1, $1::int) n
) invented
