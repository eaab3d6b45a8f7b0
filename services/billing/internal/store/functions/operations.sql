-- What callers do with credits: one call, one round trip. Each takes the account's lock
-- first. The outcome 'due' means that something of the account has ended and
-- credits_lapse must come first; nothing was changed then.

-- credits_lapse ends the holds and grants of an account whose time has come.
CREATE OR REPLACE FUNCTION credits_lapse(p_user uuid, p_now timestamptz, OUT expired bigint, OUT clawed bigint, OUT holds bigint) LANGUAGE plpgsql AS $$
DECLARE
    account credit_accounts := credits_lock(p_user);
    ended   record;
    due     record;
BEGIN
    expired := 0;
    clawed := 0;
    holds := 0;
    IF account.next_due IS NULL OR account.next_due > p_now THEN
        RETURN;
    END IF;
    FOR due IN SELECT id FROM credit_holds WHERE user_id = p_user AND ended_at IS NULL AND expires_at <= p_now ORDER BY expires_at, id LOOP
        ended := credits_close_hold(due.id, p_now, 0, 'expired');
        expired := expired + ended.expired;
        clawed := clawed + ended.clawed;
        holds := holds + 1;
    END LOOP;
    FOR due IN SELECT id FROM credit_grants WHERE user_id = p_user AND ended_at IS NULL AND expires_at <= p_now ORDER BY expires_at, id LOOP
        expired := expired + credits_end_grant(due.id, p_now);
    END LOOP;
    UPDATE credit_accounts SET next_due = least(
        (SELECT min(expires_at) FROM credit_holds WHERE user_id = p_user AND ended_at IS NULL),
        (SELECT min(expires_at) FROM credit_grants WHERE user_id = p_user AND ended_at IS NULL))
    WHERE user_id = p_user;
END
$$;

-- credits_close ends an account for good: its holds and grants end now, whatever their time,
-- and nothing is granted to it any more. Repeating it changes nothing. One that never had
-- credits gets its row, so that a grant that comes at the same moment waits here.
CREATE OR REPLACE FUNCTION credits_close(p_user uuid, p_now timestamptz, OUT expired bigint, OUT clawed bigint) LANGUAGE plpgsql AS $$
DECLARE
    account credit_accounts;
    ended   record;
    due     record;
BEGIN
    expired := 0;
    clawed := 0;
    INSERT INTO credit_accounts (user_id, updated_at) VALUES (p_user, p_now) ON CONFLICT (user_id) DO NOTHING;
    account := credits_lock(p_user);
    FOR due IN SELECT id FROM credit_holds WHERE user_id = p_user AND ended_at IS NULL ORDER BY expires_at, id LOOP
        ended := credits_close_hold(due.id, p_now, 0, 'expired');
        expired := expired + ended.expired;
        clawed := clawed + ended.clawed;
    END LOOP;
    FOR due IN SELECT id FROM credit_grants WHERE user_id = p_user AND ended_at IS NULL ORDER BY expires_at, id LOOP
        expired := expired + credits_end_grant(due.id, p_now);
    END LOOP;
    UPDATE credit_accounts SET closed_at = coalesce(closed_at, p_now), next_due = NULL WHERE user_id = p_user;
END
$$;

-- credits_consume spends. Outcomes: 'done', 'replayed', 'reused', 'insufficient', 'due'.
CREATE OR REPLACE FUNCTION credits_consume(p_user uuid, p_now timestamptz, p_key text, p_amount bigint, p_description text)
RETURNS credit_answer LANGUAGE plpgsql AS $$
DECLARE
    account credit_accounts := credits_lock(p_user);
    seen    credit_keys;
    burnt   record;
    entry   bigint;
    answer  credit_answer;
BEGIN
    SELECT * INTO seen FROM credit_keys WHERE user_id = p_user AND key = p_key;
    IF FOUND THEN
        answer := seen.answer;
        answer.outcome := CASE WHEN seen.method = 'consume' AND seen.amount = p_amount AND seen.description = p_description
            THEN 'replayed' ELSE 'reused' END;
        RETURN answer;
    END IF;
    IF account.next_due <= p_now THEN
        answer.outcome := 'due';
        RETURN answer;
    END IF;
    IF account.user_id IS NULL OR account.balance - account.held < p_amount THEN
        answer := credits_state(p_user);
        answer.outcome := 'insufficient';
        RETURN answer;
    END IF;
    burnt := credits_burn(p_user, p_amount, 'spend');
    entry := credits_write(p_user, p_now, 'consume', -p_amount, p_description, burnt.grants, credits_negative(burnt.parts));
    answer := credits_state(p_user);
    answer.outcome := 'done';
    answer.entry := entry;
    INSERT INTO credit_keys (user_id, key, method, amount, description, lifetime_seconds, answer, created_at)
    VALUES (p_user, p_key, 'consume', p_amount, p_description, 0, answer, p_now);
    RETURN answer;
END
$$;

-- credits_hold sets credits aside. Outcomes as for credits_consume.
CREATE OR REPLACE FUNCTION credits_hold(p_user uuid, p_now timestamptz, p_key text, p_amount bigint, p_description text, p_lifetime integer, p_hold uuid)
RETURNS credit_answer LANGUAGE plpgsql AS $$
DECLARE
    account credit_accounts := credits_lock(p_user);
    seen    credit_keys;
    burnt   record;
    ends    timestamptz := p_now + make_interval(secs => p_lifetime);
    answer  credit_answer;
BEGIN
    SELECT * INTO seen FROM credit_keys WHERE user_id = p_user AND key = p_key;
    IF FOUND THEN
        answer := seen.answer;
        answer.outcome := CASE WHEN seen.method = 'hold' AND seen.amount = p_amount AND seen.description = p_description
            AND seen.lifetime_seconds = p_lifetime THEN 'replayed' ELSE 'reused' END;
        RETURN answer;
    END IF;
    IF account.next_due <= p_now THEN
        answer.outcome := 'due';
        RETURN answer;
    END IF;
    IF account.user_id IS NULL OR account.balance - account.held < p_amount THEN
        answer := credits_state(p_user);
        answer.outcome := 'insufficient';
        RETURN answer;
    END IF;
    burnt := credits_burn(p_user, p_amount, 'hold');
    INSERT INTO credit_holds (id, user_id, amount, description, grant_ids, parts, created_at, expires_at)
    VALUES (p_hold, p_user, p_amount, p_description, burnt.grants, burnt.parts, p_now, ends);
    UPDATE credit_accounts SET held = held + p_amount, next_due = least(next_due, ends) WHERE user_id = p_user;
    answer := credits_state(p_user);
    answer.outcome := 'done';
    answer.hold_id := p_hold;
    answer.expires_at := ends;
    INSERT INTO credit_keys (user_id, key, method, amount, description, lifetime_seconds, answer, created_at)
    VALUES (p_user, p_key, 'hold', p_amount, p_description, p_lifetime, answer, p_now);
    RETURN answer;
END
$$;

-- credits_settle ends a hold. Outcomes: 'done', 'replayed', 'no_hold', 'settled'
-- (at another cost), 'expired', 'too_much', 'due'. Releasing what has expired by
-- itself is no failure. The account's next_due may stay early; credits_lapse then
-- finds nothing and mends it.
CREATE OR REPLACE FUNCTION credits_settle(p_user uuid, p_now timestamptz, p_hold uuid, p_cost bigint) RETURNS credit_answer LANGUAGE plpgsql AS $$
DECLARE
    account credit_accounts := credits_lock(p_user);
    hold    credit_holds;
    closed  record;
    reply   credit_answer;
BEGIN
    SELECT * INTO hold FROM credit_holds WHERE id = p_hold AND user_id = p_user;
    IF NOT FOUND THEN
        reply.outcome := 'no_hold';
        RETURN reply;
    END IF;
    IF hold.outcome = 'settled' THEN
        reply := hold.answer;
        reply.outcome := CASE WHEN hold.cost = p_cost THEN 'replayed' ELSE 'settled' END;
        RETURN reply;
    END IF;
    IF p_cost > hold.amount THEN
        reply.outcome := 'too_much';
        RETURN reply;
    END IF;
    IF account.next_due <= p_now THEN
        reply.outcome := 'due';
        RETURN reply;
    END IF;
    IF hold.outcome = 'expired' THEN
        reply := credits_state(p_user);
        reply.outcome := CASE WHEN p_cost = 0 THEN 'replayed' ELSE 'expired' END;
        RETURN reply;
    END IF;
    closed := credits_close_hold(p_hold, p_now, p_cost, 'settled');
    reply := credits_state(p_user);
    reply.outcome := 'done';
    reply.entry := closed.entry;
    reply.expired := closed.expired;
    reply.clawed := closed.clawed;
    UPDATE credit_holds SET answer = reply WHERE id = p_hold;
    RETURN reply;
END
$$;
