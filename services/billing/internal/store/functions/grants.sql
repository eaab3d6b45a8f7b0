-- Credits that are given and taken back, each for one business fact and once. 'due' is as
-- for the operations.

-- credits_grant gives credits for a fact, once. p_kind is the entry's: 'grant' or
-- 'adjust'. Outcomes: 'done', 'known', 'foreign' (the fact is another account's),
-- 'closed' (so is the account), 'due'. A grant that replaces ends those of earlier periods in its series that do,
-- too; one that comes late, when a later period has been granted, ends at once. So the
-- order in which periods are granted does not matter.
CREATE OR REPLACE FUNCTION credits_grant(p_user uuid, p_now timestamptz, p_kind text, p_fact text, p_series text, p_replaces boolean,
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
    IF account.closed_at IS NOT NULL THEN
        answer := credits_state(p_user);
        answer.outcome := 'closed';
        RETURN answer;
    END IF;
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
        WHERE g.user_id = p_user AND g.ended_at IS NULL AND g.replaces AND p_series <> '' AND g.series = p_series
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

-- credits_clawback takes back what is left of a grant, up to an amount, once for
-- a fact. What is used or held stays owed; what holds give back later pays it.
-- Outcomes: 'done', 'known', 'void', 'foreign' (the fact is another grant's), 'due'.
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

-- credits_restore makes the withdrawal of a fact void, once. Afterwards of the grant is
-- withdrawn or owed what the withdrawals that stand ask for, and at most all of it: one
-- that found nothing left takes the place of the one that is void. What is owed goes
-- first. The rest is given back to the grant; if that has ended, to nobody: the caller
-- gives it anew. Outcomes: 'done', 'known', 'foreign' (the fact is another grant's), 'due'.
CREATE OR REPLACE FUNCTION credits_restore(p_user uuid, p_now timestamptz, p_fact text, p_grant text, p_description text) RETURNS credit_answer LANGUAGE plpgsql AS $$
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

-- credits_deduct takes an amount for staff, in burn order, once for a fact.
-- Outcomes: 'done', 'known', 'foreign' (the fact is another account's or a
-- clawback's), 'insufficient', 'due'.
CREATE OR REPLACE FUNCTION credits_deduct(p_user uuid, p_now timestamptz, p_fact text, p_amount bigint, p_description text) RETURNS credit_answer LANGUAGE plpgsql AS $$
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

-- credits_adjust gives credits by hand, or takes them where the amount is negative, once
-- for a fact: what was given for it is not taken for it, nor the other way round. Outcomes:
-- those of credits_grant and credits_deduct.
CREATE OR REPLACE FUNCTION credits_adjust(p_user uuid, p_now timestamptz, p_fact text, p_description text, p_amount bigint, p_expires timestamptz)
RETURNS credit_answer LANGUAGE plpgsql AS $$
DECLARE
    account credit_accounts := credits_lock(p_user);
    owner   uuid;
    answer  credit_answer;
BEGIN
    SELECT user_id INTO owner FROM (
        SELECT user_id FROM credit_withdrawals WHERE fact = p_fact AND p_amount > 0
        UNION ALL SELECT user_id FROM credit_grants WHERE fact = p_fact AND p_amount < 0) opposite;
    IF FOUND THEN
        answer := credits_state(p_user);
        answer.outcome := CASE WHEN owner = p_user THEN 'known' ELSE 'foreign' END;
        RETURN answer;
    END IF;
    IF p_amount > 0 THEN
        RETURN credits_grant(p_user, p_now, 'adjust', p_fact, '', false, '', p_description, p_amount, p_now, p_expires, p_expires);
    END IF;
    RETURN credits_deduct(p_user, p_now, p_fact, -p_amount, p_description);
END
$$;
