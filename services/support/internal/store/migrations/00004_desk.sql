-- +goose Up

-- What staff see of a ticket in their list: the last message, how long the customer has been
-- waiting, and whose work it is. The defaults are for tickets that the version before opens.
ALTER TABLE tickets
    ADD COLUMN last_message_at timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN last_message_by text        NOT NULL DEFAULT 'customer' CHECK (last_message_by IN ('customer', 'staff')),
    -- The customer's first message since staff answered, resolved or closed. Null: nobody waits.
    ADD COLUMN waiting_since   timestamptz DEFAULT now(),
    -- The first answer of staff.
    ADD COLUMN answered_at     timestamptz,
    ADD COLUMN assignee_id     uuid,
    ADD COLUMN assignee_email  text        NOT NULL DEFAULT '',
    ADD COLUMN tags            text[]      NOT NULL DEFAULT '{}' CHECK (cardinality(tags) <= 10);

UPDATE tickets t SET
    last_message_at = coalesce(m.last_at, t.created_at),
    last_message_by = coalesce(m.last_by, 'customer'),
    answered_at = m.first_answer,
    waiting_since = CASE
        WHEN t.status IN ('resolved', 'closed') OR m.last_by = 'staff' THEN NULL
        ELSE coalesce((SELECT min(c.created_at) FROM ticket_messages c WHERE c.ticket_id = t.id AND c.created_at > m.last_answer), t.created_at)
    END
FROM tickets self
LEFT JOIN LATERAL (
    SELECT max(created_at) AS last_at, (array_agg(author ORDER BY seq DESC))[1] AS last_by,
           min(created_at) FILTER (WHERE author = 'staff') AS first_answer, max(created_at) FILTER (WHERE author = 'staff') AS last_answer
    FROM ticket_messages WHERE ticket_id = self.id
) m ON true
WHERE t.id = self.id;

CREATE INDEX tickets_waiting_for_us ON tickets (waiting_since, created_at DESC, id DESC) WHERE waiting_since IS NOT NULL;
CREATE INDEX tickets_assigned ON tickets (assignee_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX tickets_to_do ON tickets (created_at DESC, id DESC) INCLUDE (category) WHERE status IN ('open', 'in_progress');
CREATE INDEX tickets_tags ON tickets USING gin (tags);

-- Staff's answers have keys, too, where the caller gives one.
ALTER TABLE ticket_messages DROP CONSTRAINT IF EXISTS ticket_messages_check;
ALTER TABLE ticket_messages ADD CONSTRAINT ticket_messages_key_check CHECK ((idempotency_key IS NULL) = (fingerprint IS NULL));

-- Staff may also change the priority and the category, whose work it is, and the tags.
ALTER TABLE ticket_changes DROP CONSTRAINT ticket_changes_field_check;
ALTER TABLE ticket_changes ADD CONSTRAINT ticket_changes_field_check
    CHECK (field IN ('status', 'message', 'priority', 'category', 'assignee', 'tags'));
CREATE INDEX ticket_changes_assignee ON ticket_changes (ticket_id) WHERE field = 'assignee';
