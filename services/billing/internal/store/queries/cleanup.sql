-- name: DeleteFinishedEvents :execrows
DELETE FROM stripe_events WHERE id IN (SELECT e.id FROM stripe_events e
    WHERE e.state IN ('applied', 'ignored', 'wrong_mode') AND e.received_at < @before::timestamptz ORDER BY e.received_at LIMIT @count);

-- name: DeleteParkedEvents :execrows
DELETE FROM stripe_events WHERE id IN (SELECT e.id FROM stripe_events e
    WHERE e.state = 'parked' AND e.received_at < @before::timestamptz ORDER BY e.received_at LIMIT @count);

-- name: DeleteOldKeys :execrows
DELETE FROM credit_keys WHERE (user_id, key) IN (SELECT k.user_id, k.key FROM credit_keys k
    WHERE k.created_at < @before::timestamptz ORDER BY k.created_at LIMIT @count);

-- name: DeleteEndedHolds :execrows
DELETE FROM credit_holds WHERE id IN (SELECT h.id FROM credit_holds h
    WHERE h.ended_at < @before::timestamptz ORDER BY h.ended_at LIMIT @count);

-- name: DeleteOldNotices :execrows
DELETE FROM notices WHERE (user_id, key) IN (SELECT n.user_id, n.key FROM notices n
    WHERE n.ended_at < @before::timestamptz ORDER BY n.ended_at LIMIT @count);
