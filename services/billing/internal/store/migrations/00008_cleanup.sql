-- +goose Up

-- What is old can be found, and the keys of spends can go. Nobody repeats a spend
-- after a month; a younger key stays, whatever a setting or a statement says, because
-- forgetting one would spend again.
CREATE INDEX stripe_events_finished ON stripe_events (received_at) WHERE state IN ('applied', 'ignored', 'wrong_mode');
CREATE INDEX credit_keys_age ON credit_keys (created_at);
CREATE INDEX credit_holds_ended ON credit_holds (ended_at) WHERE ended_at IS NOT NULL;

-- +goose StatementBegin
CREATE FUNCTION credits_keep_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.created_at < now() - interval '31 days' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% of % is refused: what was written stays', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
-- +goose StatementEnd

DROP TRIGGER append_only ON credit_keys;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON credit_keys FOR EACH ROW EXECUTE FUNCTION credits_keep_keys();
