-- +goose Up

-- credits_adjust gives credits by hand, or takes them where the amount is negative, once
-- for a fact: what was given for it is not taken for it, nor the other way round. Outcomes:
-- those of credits_grant and credits_deduct.
-- +goose StatementBegin
CREATE FUNCTION credits_adjust(p_user uuid, p_now timestamptz, p_fact text, p_description text, p_amount bigint, p_expires timestamptz)
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
-- +goose StatementEnd
