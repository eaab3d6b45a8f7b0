-- +goose Up

-- A withdrawal can turn out to be void: a refund that had succeeded fails, and the money
-- is ours again. For what is withdrawn then, it has to be known what each withdrawal asked
-- for, and not only what was left for it. NULL for those from before: what they wanted.
ALTER TABLE credit_withdrawals ADD COLUMN asked bigint CHECK (asked >= wanted);
CREATE INDEX credit_withdrawals_grant ON credit_withdrawals (grant_id);

-- Withdrawals that are void, for good, whether they had come before or come later.
CREATE TABLE credit_restorations (
    fact       text        CONSTRAINT credit_restoration_once PRIMARY KEY CHECK (octet_length(fact) BETWEEN 1 AND 512),
    user_id    uuid        NOT NULL REFERENCES credit_accounts,
    grant_id   bigint      NOT NULL REFERENCES credit_grants,
    -- How much less of the grant is withdrawn or owed.
    amount     bigint      NOT NULL CHECK (amount >= 0),
    -- The part of it that had been withdrawn, and goes back to the account.
    given      bigint      NOT NULL CHECK (given BETWEEN 0 AND amount),
    created_at timestamptz NOT NULL
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON credit_restorations FOR EACH ROW EXECUTE FUNCTION credits_refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON credit_restorations FOR EACH STATEMENT EXECUTE FUNCTION credits_refuse_change();

-- credits_clawback takes back what is left of a grant, up to an amount, once for
-- a fact. What is used or held stays owed; what holds give back later pays it.
-- Outcomes: 'done', 'known', 'void', 'foreign' (the fact is another grant's), 'due'.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION credits_clawback(p_user uuid, p_now timestamptz, p_fact text, p_grant text, p_amount bigint, p_description text)
RETURNS credit_answer LANGUAGE plpgsql AS $$
DECLARE
    account credit_accounts := credits_lock(p_user);
    source  credit_grants;
    wanted  bigint;
    taken   bigint;
    answer  credit_answer;
BEGIN
    IF account.next_due <= p_now THEN
        answer.outcome := 'due';
        RETURN answer;
    END IF;
    SELECT * INTO STRICT source FROM credit_grants WHERE fact = p_grant AND user_id = p_user;
    IF EXISTS (SELECT FROM credit_restorations WHERE fact = p_fact) THEN
        answer := credits_state(p_user);
        answer.outcome := 'void';
        RETURN answer;
    END IF;
    wanted := least(p_amount, source.amount - source.withdrawn - source.owed);
    taken := least(wanted, source.remaining - source.held);
    INSERT INTO credit_withdrawals (fact, user_id, grant_id, asked, wanted, taken, created_at)
    VALUES (p_fact, p_user, source.id, p_amount, wanted, taken, p_now) ON CONFLICT (fact) DO NOTHING;
    IF NOT FOUND THEN
        answer := credits_state(p_user);
        answer.outcome := CASE WHEN EXISTS (SELECT FROM credit_withdrawals WHERE fact = p_fact AND grant_id = source.id)
            THEN 'known' ELSE 'foreign' END;
        RETURN answer;
    END IF;
    UPDATE credit_grants SET remaining = remaining - taken, withdrawn = withdrawn + taken, owed = owed + wanted - taken WHERE id = source.id;
    IF taken > 0 THEN
        PERFORM credits_write(p_user, p_now, 'clawback', -taken, p_description, ARRAY[source.id], ARRAY[-taken]);
    END IF;
    answer := credits_state(p_user);
    answer.outcome := 'done';
    answer.clawed := taken;
    RETURN answer;
END
$$;
-- +goose StatementEnd

-- credits_restore makes the withdrawal of a fact void, once. Afterwards of the grant is
-- withdrawn or owed what the withdrawals that stand ask for, and at most all of it: one
-- that found nothing left takes the place of the one that is void. What is owed goes
-- first. The rest is given back to the grant; if that has ended, to nobody: the caller
-- gives it anew. Outcomes: 'done', 'known', 'foreign' (the fact is another grant's), 'due'.
-- +goose StatementBegin
CREATE FUNCTION credits_restore(p_user uuid, p_now timestamptz, p_fact text, p_grant text, p_description text) RETURNS credit_answer LANGUAGE plpgsql AS $$
DECLARE
    account credit_accounts := credits_lock(p_user);
    source  credit_grants;
    sums    record;
    less    bigint;
    back    bigint;
    answer  credit_answer;
BEGIN
    IF account.next_due <= p_now THEN
        answer.outcome := 'due';
        RETURN answer;
    END IF;
    SELECT * INTO STRICT source FROM credit_grants WHERE fact = p_grant AND user_id = p_user;
    IF EXISTS (SELECT FROM credit_withdrawals WHERE fact = p_fact AND grant_id IS DISTINCT FROM source.id)
        OR EXISTS (SELECT FROM credit_restorations WHERE fact = p_fact AND grant_id <> source.id) THEN
        answer.outcome := 'foreign';
        RETURN answer;
    END IF;
    IF EXISTS (SELECT FROM credit_restorations WHERE fact = p_fact) THEN
        answer := credits_state(p_user);
        answer.outcome := 'known';
        RETURN answer;
    END IF;
    -- Staff take from grants too (credits_deduct), under facts that name none.
    SELECT coalesce(sum(w.wanted) - coalesce(sum(r.amount), 0), 0) AS effective,
           coalesce(sum(coalesce(w.asked, w.wanted)) FILTER (WHERE r.fact IS NULL AND w.fact <> p_fact), 0) AS standing
    INTO sums FROM credit_withdrawals w LEFT JOIN credit_restorations r ON r.fact = w.fact WHERE w.grant_id = source.id;
    less := source.withdrawn + source.owed
        - least(source.amount, source.withdrawn + source.owed - sums.effective + sums.standing);
    back := less - least(less, source.owed);
    INSERT INTO credit_restorations (fact, user_id, grant_id, amount, given, created_at) VALUES (p_fact, p_user, source.id, less, back, p_now);
    UPDATE credit_grants
    SET owed = owed - (less - back), withdrawn = withdrawn - back, remaining = remaining + CASE WHEN ended_at IS NULL THEN back ELSE 0 END
    WHERE id = source.id;
    IF back > 0 AND source.ended_at IS NULL THEN
        PERFORM credits_write(p_user, p_now, 'adjust', back, p_description, ARRAY[source.id], ARRAY[back]);
    END IF;
    answer := credits_state(p_user);
    answer.outcome := 'done';
    RETURN answer;
END
$$;
-- +goose StatementEnd
