-- +goose Up

-- The credit ledger. All amounts are hundredths of a credit. README.md states the
-- invariants; the constraints here are their last line of defence, and rows are
-- written by the functions of the next migrations alone.

CREATE TABLE credit_accounts (
    user_id    uuid        PRIMARY KEY,
    -- The sum of the account's entries.
    balance    bigint      NOT NULL DEFAULT 0 CONSTRAINT credit_balance_not_negative CHECK (balance >= 0),
    -- The part of the balance that open holds have set aside.
    held       bigint      NOT NULL DEFAULT 0 CONSTRAINT credit_held_within_balance CHECK (held BETWEEN 0 AND balance),
    -- The number of the newest entry.
    entries    bigint      NOT NULL DEFAULT 0 CHECK (entries >= 0),
    -- The time of the newest entry. It never goes back, whatever a clock does.
    updated_at timestamptz NOT NULL,
    -- Nothing of the account ends before this; NULL when nothing ever will.
    next_due   timestamptz
) WITH (fillfactor = 70);
CREATE INDEX credit_accounts_due ON credit_accounts (next_due, user_id) WHERE next_due IS NOT NULL;

-- Credits that were given, each for one business fact.
CREATE TABLE credit_grants (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    user_id      uuid        NOT NULL REFERENCES credit_accounts,
    -- What the grant stands for, such as "sub_1/1772323200/base". Once, for good.
    fact         text        NOT NULL CONSTRAINT credit_fact_once UNIQUE CHECK (octet_length(fact) BETWEEN 1 AND 512),
    -- Grants that follow each other, such as those of a subscription; '' for none.
    series       text        NOT NULL,
    -- Whether it ends the grants of earlier periods in its series.
    replaces     boolean     NOT NULL,
    -- For audit, such as an invoice and its line.
    reference    text        NOT NULL,
    description  text        NOT NULL,
    amount       bigint      NOT NULL CHECK (amount > 0),
    -- What has not been used, withdrawn or expired; holds count as not used.
    remaining    bigint      NOT NULL,
    -- The part of remaining that open holds have set aside.
    held         bigint      NOT NULL DEFAULT 0,
    -- What was taken back, and what could not be because it was used or held.
    withdrawn    bigint      NOT NULL DEFAULT 0 CHECK (withdrawn >= 0),
    owed         bigint      NOT NULL DEFAULT 0 CHECK (owed >= 0),
    period_start timestamptz NOT NULL,
    period_end   timestamptz NOT NULL,
    -- When it ends at the latest.
    expires_at   timestamptz NOT NULL,
    created_at   timestamptz NOT NULL,
    -- When it ended; from then on only what holds have set aside is left.
    ended_at     timestamptz,
    CHECK (period_start < period_end AND period_end <= expires_at),
    CHECK (held BETWEEN 0 AND remaining AND remaining <= amount - withdrawn),
    CHECK (ended_at IS NULL OR remaining = held)
) WITH (fillfactor = 70);
-- In burn order.
CREATE INDEX credit_grants_open ON credit_grants (user_id, expires_at, id) WHERE ended_at IS NULL;
CREATE INDEX credit_grants_series ON credit_grants (series, period_start) WHERE series <> '';

-- What happened. Numbered from 1 without a gap within each account.
CREATE TABLE credit_entries (
    user_id       uuid        NOT NULL REFERENCES credit_accounts,
    number        bigint      NOT NULL CHECK (number >= 1),
    "time"        timestamptz NOT NULL,
    kind          text        NOT NULL,
    amount        bigint      NOT NULL,
    balance_after bigint      NOT NULL CHECK (balance_after >= 0),
    description   text        NOT NULL,
    -- The grants that the amount moved, and by how much each.
    grant_ids     bigint[]    NOT NULL,
    parts         bigint[]    NOT NULL CHECK (cardinality(parts) = cardinality(grant_ids) AND cardinality(parts) > 0),
    PRIMARY KEY (user_id, number),
    CONSTRAINT credit_entry_sign CHECK (CASE kind
        WHEN 'grant' THEN amount > 0
        WHEN 'adjust' THEN amount <> 0
        WHEN 'consume' THEN amount < 0
        WHEN 'expire' THEN amount < 0
        WHEN 'clawback' THEN amount < 0
        ELSE false END)
);

-- The answer to an operation, as it is kept to be given again.
CREATE TYPE credit_answer AS (
    outcome    text,
    entry      bigint,
    hold_id    uuid,
    expires_at timestamptz,
    -- The account's credits afterwards, see fledge.billing.v1.Credits.
    balance    bigint,
    granted    bigint,
    used       bigint,
    held       bigint,
    period_end timestamptz,
    -- What the operation ended besides.
    expired    bigint,
    clawed     bigint
);

-- Credits that are set aside for work whose cost is not known yet.
CREATE TABLE credit_holds (
    id          uuid          PRIMARY KEY,
    user_id     uuid          NOT NULL REFERENCES credit_accounts,
    amount      bigint        NOT NULL CHECK (amount > 0),
    description text          NOT NULL,
    -- Where they are set aside, in burn order.
    grant_ids   bigint[]      NOT NULL,
    parts       bigint[]      NOT NULL CHECK (cardinality(parts) = cardinality(grant_ids) AND cardinality(parts) > 0),
    created_at  timestamptz   NOT NULL,
    expires_at  timestamptz   NOT NULL,
    ended_at    timestamptz,
    outcome     text          CHECK (outcome IN ('settled', 'expired')),
    cost        bigint        CHECK (cost BETWEEN 0 AND amount),
    answer      credit_answer,
    CHECK ((ended_at IS NULL) = (outcome IS NULL) AND (ended_at IS NULL) = (cost IS NULL))
);
CREATE INDEX credit_holds_open ON credit_holds (user_id, expires_at) WHERE ended_at IS NULL;

-- The keys that callers chose for their spends and holds, with the answers. They
-- are kept for good: a key that was forgotten would spend again.
CREATE TABLE credit_keys (
    user_id          uuid          NOT NULL REFERENCES credit_accounts,
    key              text          COLLATE "C" NOT NULL,
    method           text          NOT NULL CHECK (method IN ('consume', 'hold')),
    amount           bigint        NOT NULL,
    description      text          NOT NULL,
    lifetime_seconds integer       NOT NULL,
    answer           credit_answer NOT NULL,
    created_at       timestamptz   NOT NULL,
    CONSTRAINT credit_key_once PRIMARY KEY (user_id, key)
);

-- Credits that were taken back, each for one business fact.
CREATE TABLE credit_withdrawals (
    fact       text        CONSTRAINT credit_withdrawal_once PRIMARY KEY CHECK (octet_length(fact) BETWEEN 1 AND 512),
    user_id    uuid        NOT NULL REFERENCES credit_accounts,
    -- NULL where no grant was named.
    grant_id   bigint      REFERENCES credit_grants,
    wanted     bigint      NOT NULL CHECK (wanted >= 0),
    taken      bigint      NOT NULL CHECK (taken BETWEEN 0 AND wanted),
    created_at timestamptz NOT NULL
);

-- +goose StatementBegin
CREATE FUNCTION credits_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% of % is refused: what was written stays', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;
-- +goose StatementEnd

CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON credit_entries FOR EACH ROW EXECUTE FUNCTION credits_refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON credit_entries FOR EACH STATEMENT EXECUTE FUNCTION credits_refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON credit_keys FOR EACH ROW EXECUTE FUNCTION credits_refuse_change();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON credit_withdrawals FOR EACH ROW EXECUTE FUNCTION credits_refuse_change();
-- A grant's counters move; what it is does not.
CREATE TRIGGER fixed BEFORE UPDATE OF id, user_id, fact, series, replaces, amount, period_start, period_end, expires_at ON credit_grants
    FOR EACH ROW EXECUTE FUNCTION credits_refuse_change();
CREATE TRIGGER kept BEFORE DELETE ON credit_grants FOR EACH ROW EXECUTE FUNCTION credits_refuse_change();
