-- +goose Up

-- What billing says of plans: whose tickets have priority. Of two events, the later one counts.
CREATE TABLE customer_plans (
    user_id          uuid        PRIMARY KEY,
    priority_support boolean     NOT NULL,
    changed_at       timestamptz NOT NULL
);

-- The priority that a ticket has without the customer's plan; null unless the plan has raised it.
ALTER TABLE tickets ADD COLUMN raised_from text;

ALTER TABLE ticket_changes DROP CONSTRAINT ticket_changes_field_check;
ALTER TABLE ticket_changes ADD CONSTRAINT ticket_changes_field_check
    CHECK (field IN ('status', 'message', 'priority', 'category', 'assignee', 'tags', 'plan'));
