-- The steps that the ledger's operations are made of. Each expects that the account's row
-- is locked (credits_lock); none is called from outside.

-- credits_lock takes the one lock that every change of an account takes first.
-- The row it returns is the newest: statements of a function see what was
-- committed before they began, so all that follows the lock reads fresh rows.
CREATE OR REPLACE FUNCTION credits_lock(p_user uuid) RETURNS credit_accounts LANGUAGE plpgsql AS $$
DECLARE
    account credit_accounts;
BEGIN
    SELECT * INTO account FROM credit_accounts WHERE user_id = p_user FOR NO KEY UPDATE;
    RETURN account;
END
$$;

-- credits_state is what the account has now, of the grants in force.
CREATE OR REPLACE FUNCTION credits_state(p_user uuid) RETURNS credit_answer LANGUAGE plpgsql AS $$
DECLARE
    answer credit_answer;
BEGIN
    SELECT coalesce(sum(remaining - held), 0), coalesce(sum(amount - withdrawn), 0),
           coalesce(sum(amount - withdrawn - remaining), 0), coalesce(sum(held), 0), min(period_end)
    INTO answer.balance, answer.granted, answer.used, answer.held, answer.period_end
    FROM credit_grants WHERE user_id = p_user AND ended_at IS NULL;
    answer.expired := 0;
    answer.clawed := 0;
    RETURN answer;
END
$$;

-- credits_write appends an entry and moves the balance with it. It returns the
-- entry's number.
CREATE OR REPLACE FUNCTION credits_write(p_user uuid, p_now timestamptz, p_kind text, p_amount bigint, p_description text,
    p_grants bigint[], p_parts bigint[]) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    account credit_accounts;
BEGIN
    UPDATE credit_accounts
    SET balance = balance + p_amount, entries = entries + 1, updated_at = greatest(updated_at, p_now)
    WHERE user_id = p_user RETURNING * INTO STRICT account;
    INSERT INTO credit_entries (user_id, number, "time", kind, amount, balance_after, description, grant_ids, parts)
    VALUES (p_user, account.entries, account.updated_at, p_kind, p_amount, account.balance, p_description, p_grants, p_parts);
    RETURN account.entries;
END
$$;

-- credits_burn moves an amount out of the grants that end first: p_how is 'spend',
-- 'hold' or 'withdraw'. The caller has made sure that there is enough; if the
-- grants say otherwise, the ledger is broken and nothing may go on.
CREATE OR REPLACE FUNCTION credits_burn(p_user uuid, p_amount bigint, p_how text, OUT grants bigint[], OUT parts bigint[]) LANGUAGE plpgsql AS $$
DECLARE
    source record;
    part   bigint;
    rest   bigint := p_amount;
BEGIN
    FOR source IN
        SELECT id, remaining - held AS free FROM credit_grants
        WHERE user_id = p_user AND ended_at IS NULL AND remaining > held ORDER BY expires_at, id
    LOOP
        part := least(rest, source.free);
        UPDATE credit_grants
        SET remaining = remaining - CASE WHEN p_how = 'hold' THEN 0 ELSE part END,
            held      = held      + CASE WHEN p_how = 'hold' THEN part ELSE 0 END,
            withdrawn = withdrawn + CASE WHEN p_how = 'withdraw' THEN part ELSE 0 END
        WHERE id = source.id;
        grants := grants || source.id;
        parts := parts || part;
        rest := rest - part;
        EXIT WHEN rest = 0;
    END LOOP;
    IF rest <> 0 THEN
        RAISE EXCEPTION 'the grants of account % lack % of %', p_user, rest, p_amount USING ERRCODE = 'data_corrupted';
    END IF;
END
$$;

-- credits_negative turns the parts of an amount that was taken into entry parts.
CREATE OR REPLACE FUNCTION credits_negative(p_parts bigint[]) RETURNS bigint[] LANGUAGE sql IMMUTABLE
    RETURN (SELECT array_agg(-part ORDER BY place) FROM unnest(p_parts) WITH ORDINALITY AS p (part, place));

-- credits_end_grant ends a grant: what is neither used nor held expires. It
-- returns how much that was.
CREATE OR REPLACE FUNCTION credits_end_grant(p_grant bigint, p_now timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    source credit_grants;
    free   bigint;
BEGIN
    SELECT * INTO STRICT source FROM credit_grants WHERE id = p_grant;
    free := source.remaining - source.held;
    UPDATE credit_grants SET remaining = held, ended_at = p_now WHERE id = p_grant;
    IF free > 0 THEN
        PERFORM credits_write(source.user_id, p_now, 'expire', -free, source.description, ARRAY[p_grant], ARRAY[-free]);
    END IF;
    RETURN free;
END
$$;

-- credits_close_hold ends a hold at a cost. What it gives back goes to the grants
-- it came from; a grant that owes keeps that much less, and one that has ended
-- lets it expire.
CREATE OR REPLACE FUNCTION credits_close_hold(p_hold uuid, p_now timestamptz, p_cost bigint, p_outcome text,
    OUT entry bigint, OUT expired bigint, OUT clawed bigint) LANGUAGE plpgsql AS $$
DECLARE
    hold   credit_holds;
    source credit_grants;
    spent  bigint;
    claw   bigint;
    lapse  bigint;
    rest   bigint := p_cost;
    ids    bigint[];
    parts  bigint[];
BEGIN
    expired := 0;
    clawed := 0;
    UPDATE credit_holds SET ended_at = p_now, outcome = p_outcome, cost = p_cost WHERE id = p_hold RETURNING * INTO STRICT hold;
    UPDATE credit_accounts SET held = held - hold.amount WHERE user_id = hold.user_id;
    FOR i IN 1 .. cardinality(hold.grant_ids) LOOP
        SELECT * INTO STRICT source FROM credit_grants WHERE id = hold.grant_ids[i];
        spent := least(rest, hold.parts[i]);
        claw := least(hold.parts[i] - spent, source.owed);
        lapse := CASE WHEN source.ended_at IS NULL THEN 0 ELSE hold.parts[i] - spent - claw END;
        UPDATE credit_grants
        SET held = held - hold.parts[i], remaining = remaining - spent - claw - lapse, withdrawn = withdrawn + claw, owed = owed - claw
        WHERE id = source.id;
        rest := rest - spent;
        IF spent > 0 THEN
            ids := ids || source.id;
            parts := parts || -spent;
        END IF;
        IF claw > 0 THEN
            PERFORM credits_write(hold.user_id, p_now, 'clawback', -claw, source.description, ARRAY[source.id], ARRAY[-claw]);
            clawed := clawed + claw;
        END IF;
        IF lapse > 0 THEN
            PERFORM credits_write(hold.user_id, p_now, 'expire', -lapse, source.description, ARRAY[source.id], ARRAY[-lapse]);
            expired := expired + lapse;
        END IF;
    END LOOP;
    IF p_cost > 0 THEN
        entry := credits_write(hold.user_id, p_now, 'consume', -p_cost, hold.description, ids, parts);
    END IF;
END
$$;
