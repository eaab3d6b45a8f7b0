-- +goose Up

-- credits_grant gives credits for a fact, once. p_kind is the entry's: 'grant' or
-- 'adjust'. Outcomes: 'done', 'known', 'foreign' (the fact is another account's),
-- 'due'. A grant that replaces ends those of earlier periods in its series; one
-- that comes late, when a later period has been granted, ends at once. So the
-- order in which periods are granted does not matter.
-- +goose StatementBegin
CREATE FUNCTION credits_grant(p_user uuid, p_now timestamptz, p_kind text, p_fact text, p_series text, p_replaces boolean,
    p_reference text, p_description text, p_amount bigint, p_start timestamptz, p_end timestamptz, p_expires timestamptz)
RETURNS credit_answer LANGUAGE plpgsql AS $$
DECLARE
    account credit_accounts;
    given   bigint;
    older   record;
    entry   bigint;
    lost    bigint := 0;
    answer  credit_answer;
BEGIN
    INSERT INTO credit_accounts (user_id, updated_at) VALUES (p_user, p_now) ON CONFLICT (user_id) DO NOTHING;
    account := credits_lock(p_user);
    IF account.next_due <= p_now THEN
        answer.outcome := 'due';
        RETURN answer;
    END IF;
    INSERT INTO credit_grants (user_id, fact, series, replaces, reference, description, amount, remaining,
        period_start, period_end, expires_at, created_at)
    VALUES (p_user, p_fact, p_series, p_replaces, p_reference, p_description, p_amount, p_amount, p_start, p_end, p_expires, p_now)
    ON CONFLICT (fact) DO NOTHING RETURNING id INTO given;
    IF given IS NULL THEN
        answer := credits_state(p_user);
        answer.outcome := CASE WHEN EXISTS (SELECT FROM credit_grants WHERE fact = p_fact AND user_id = p_user)
            THEN 'known' ELSE 'foreign' END;
        RETURN answer;
    END IF;
    entry := credits_write(p_user, p_now, p_kind, p_amount, p_description, ARRAY[given], ARRAY[p_amount]);
    UPDATE credit_accounts SET next_due = least(next_due, p_expires) WHERE user_id = p_user;
    FOR older IN
        SELECT g.id FROM credit_grants g
        WHERE g.user_id = p_user AND g.ended_at IS NULL AND p_series <> '' AND g.series = p_series
          AND EXISTS (SELECT FROM credit_grants later WHERE later.user_id = p_user AND later.series = p_series
                      AND later.replaces AND later.period_start > g.period_start)
        ORDER BY g.expires_at, g.id
    LOOP
        lost := lost + credits_end_grant(older.id, p_now);
    END LOOP;
    answer := credits_state(p_user);
    answer.outcome := 'done';
    answer.entry := entry;
    answer.expired := lost;
    RETURN answer;
END
$$;
-- +goose StatementEnd

-- credits_end_series ends the open grants of a series whose period began before a
-- time. Outcomes: 'done', 'due'.
-- +goose StatementBegin
CREATE FUNCTION credits_end_series(p_user uuid, p_now timestamptz, p_series text, p_before timestamptz) RETURNS credit_answer LANGUAGE plpgsql AS $$
DECLARE
    account credit_accounts := credits_lock(p_user);
    older   record;
    lost    bigint := 0;
    answer  credit_answer;
BEGIN
    IF account.next_due <= p_now THEN
        answer.outcome := 'due';
        RETURN answer;
    END IF;
    FOR older IN
        SELECT id FROM credit_grants
        WHERE user_id = p_user AND ended_at IS NULL AND series = p_series AND period_start < p_before ORDER BY expires_at, id
    LOOP
        lost := lost + credits_end_grant(older.id, p_now);
    END LOOP;
    answer := credits_state(p_user);
    answer.outcome := 'done';
    answer.expired := lost;
    RETURN answer;
END
$$;
-- +goose StatementEnd

-- credits_clawback takes back what is left of a grant, up to an amount, once for
-- a fact. What is used or held stays owed; what holds give back later pays it.
-- Outcomes: 'done', 'known', 'foreign' (the fact is another grant's), 'due'.
-- +goose StatementBegin
CREATE FUNCTION credits_clawback(p_user uuid, p_now timestamptz, p_fact text, p_grant text, p_amount bigint, p_description text)
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
    wanted := least(p_amount, source.amount - source.withdrawn - source.owed);
    taken := least(wanted, source.remaining - source.held);
    INSERT INTO credit_withdrawals (fact, user_id, grant_id, wanted, taken, created_at)
    VALUES (p_fact, p_user, source.id, wanted, taken, p_now) ON CONFLICT (fact) DO NOTHING;
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

-- credits_deduct takes an amount for staff, in burn order, once for a fact.
-- Outcomes: 'done', 'known', 'foreign' (the fact is another account's or a
-- clawback's), 'insufficient', 'due'.
-- +goose StatementBegin
CREATE FUNCTION credits_deduct(p_user uuid, p_now timestamptz, p_fact text, p_amount bigint, p_description text) RETURNS credit_answer LANGUAGE plpgsql AS $$
DECLARE
    account credit_accounts := credits_lock(p_user);
    seen    credit_withdrawals;
    burnt   record;
    entry   bigint;
    answer  credit_answer;
BEGIN
    IF account.next_due <= p_now THEN
        answer.outcome := 'due';
        RETURN answer;
    END IF;
    SELECT * INTO seen FROM credit_withdrawals WHERE fact = p_fact;
    IF FOUND THEN
        answer := credits_state(p_user);
        answer.outcome := CASE WHEN seen.user_id = p_user AND seen.grant_id IS NULL THEN 'known' ELSE 'foreign' END;
        RETURN answer;
    END IF;
    IF account.user_id IS NULL OR account.balance - account.held < p_amount THEN
        answer := credits_state(p_user);
        answer.outcome := 'insufficient';
        RETURN answer;
    END IF;
    INSERT INTO credit_withdrawals (fact, user_id, wanted, taken, created_at) VALUES (p_fact, p_user, p_amount, p_amount, p_now);
    burnt := credits_burn(p_user, p_amount, 'withdraw');
    entry := credits_write(p_user, p_now, 'adjust', -p_amount, p_description, burnt.grants, credits_negative(burnt.parts));
    answer := credits_state(p_user);
    answer.outcome := 'done';
    answer.entry := entry;
    RETURN answer;
END
$$;
-- +goose StatementEnd
