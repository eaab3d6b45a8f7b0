-- Generated from the migrations by `go test -run Schema -update`; DO NOT EDIT.

CREATE TYPE credit_answer AS (
    outcome text,
    entry bigint,
    hold_id uuid,
    expires_at timestamp with time zone,
    balance bigint,
    granted bigint,
    used bigint,
    held bigint,
    period_end timestamp with time zone,
    expired bigint,
    clawed bigint
);

CREATE TABLE accepted_cases (
    object text NOT NULL,
    reason text NOT NULL,
    accepted_at timestamp with time zone NOT NULL,
    decision text DEFAULT 'accept'::text NOT NULL,
    causes text[],
    decisions jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT accepted_cases_pkey PRIMARY KEY (object),
    CONSTRAINT accepted_cases_decision_check CHECK ((decision = ANY (ARRAY['accept'::text, 'grant'::text, 'ignore'::text]))),
    CONSTRAINT accepted_cases_object_check CHECK ((object ~ '^[A-Za-z0-9_]{1,255}$'::text)),
    CONSTRAINT accepted_cases_reason_check CHECK ((reason <> ''::text))
);

CREATE TABLE account_states (
    user_id uuid NOT NULL,
    state text NOT NULL,
    since timestamp with time zone NOT NULL,
    renews boolean DEFAULT false NOT NULL,
    CONSTRAINT account_states_pkey PRIMARY KEY (user_id),
    CONSTRAINT account_states_state_check CHECK ((state = ANY (ARRAY['active'::text, 'disabled'::text, 'erased'::text])))
);

CREATE TABLE credit_accounts (
    user_id uuid NOT NULL,
    balance bigint DEFAULT 0 NOT NULL,
    held bigint DEFAULT 0 NOT NULL,
    entries bigint DEFAULT 0 NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    next_due timestamp with time zone,
    closed_at timestamp with time zone,
    CONSTRAINT credit_accounts_pkey PRIMARY KEY (user_id),
    CONSTRAINT credit_accounts_entries_check CHECK ((entries >= 0)),
    CONSTRAINT credit_balance_not_negative CHECK ((balance >= 0)),
    CONSTRAINT credit_held_within_balance CHECK (((held >= 0) AND (held <= balance)))
) WITH (fillfactor=70);
CREATE INDEX credit_accounts_due ON public.credit_accounts USING btree (next_due, user_id) WHERE (next_due IS NOT NULL);

CREATE TABLE credit_entries (
    user_id uuid NOT NULL,
    number bigint NOT NULL,
    "time" timestamp with time zone NOT NULL,
    kind text NOT NULL,
    amount bigint NOT NULL,
    balance_after bigint NOT NULL,
    description text NOT NULL,
    grant_ids bigint[] NOT NULL,
    parts bigint[] NOT NULL,
    CONSTRAINT credit_entries_pkey PRIMARY KEY (user_id, number),
    CONSTRAINT credit_entries_balance_after_check CHECK ((balance_after >= 0)),
    CONSTRAINT credit_entries_check CHECK (((cardinality(parts) = cardinality(grant_ids)) AND (cardinality(parts) > 0))),
    CONSTRAINT credit_entries_number_check CHECK ((number >= 1)),
    CONSTRAINT credit_entry_sign CHECK (
CASE kind
    WHEN 'grant'::text THEN (amount > 0)
    WHEN 'adjust'::text THEN (amount <> 0)
    WHEN 'consume'::text THEN (amount < 0)
    WHEN 'expire'::text THEN (amount < 0)
    WHEN 'clawback'::text THEN (amount < 0)
    ELSE false
END),
    CONSTRAINT credit_entries_user_id_fkey FOREIGN KEY (user_id) REFERENCES credit_accounts(user_id)
);
CREATE INDEX credit_entries_time ON public.credit_entries USING brin ("time") WITH (pages_per_range='16', autosummarize='on');
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.credit_entries FOR EACH ROW EXECUTE FUNCTION credits_refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.credit_entries FOR EACH STATEMENT EXECUTE FUNCTION credits_refuse_change();

CREATE TABLE credit_grants (
    id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    user_id uuid NOT NULL,
    fact text NOT NULL,
    series text NOT NULL,
    replaces boolean NOT NULL,
    reference text NOT NULL,
    description text NOT NULL,
    amount bigint NOT NULL,
    remaining bigint NOT NULL,
    held bigint DEFAULT 0 NOT NULL,
    withdrawn bigint DEFAULT 0 NOT NULL,
    owed bigint DEFAULT 0 NOT NULL,
    period_start timestamp with time zone NOT NULL,
    period_end timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT credit_grants_pkey PRIMARY KEY (id),
    CONSTRAINT credit_fact_once UNIQUE (fact),
    CONSTRAINT credit_grants_amount_check CHECK ((amount > 0)),
    CONSTRAINT credit_grants_check CHECK (((period_start < period_end) AND (period_end <= expires_at))),
    CONSTRAINT credit_grants_check1 CHECK ((((held >= 0) AND (held <= remaining)) AND (remaining <= (amount - withdrawn)))),
    CONSTRAINT credit_grants_check2 CHECK (((ended_at IS NULL) OR (remaining = held))),
    CONSTRAINT credit_grants_fact_check CHECK (((octet_length(fact) >= 1) AND (octet_length(fact) <= 512))),
    CONSTRAINT credit_grants_owed_check CHECK ((owed >= 0)),
    CONSTRAINT credit_grants_withdrawn_check CHECK ((withdrawn >= 0)),
    CONSTRAINT credit_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES credit_accounts(user_id)
) WITH (fillfactor=70);
CREATE INDEX credit_grants_invoice ON public.credit_grants USING btree (split_part(reference, '/'::text, 1));
CREATE INDEX credit_grants_open ON public.credit_grants USING btree (user_id, expires_at, id) WHERE (ended_at IS NULL);
CREATE INDEX credit_grants_owed ON public.credit_grants USING btree (user_id) WHERE (owed > 0);
CREATE INDEX credit_grants_period_end ON public.credit_grants USING btree (period_end) WHERE (ended_at IS NULL);
CREATE INDEX credit_grants_series ON public.credit_grants USING btree (series, period_start) WHERE (series <> ''::text);
CREATE TRIGGER fixed BEFORE UPDATE OF id, user_id, fact, series, replaces, amount, period_start, period_end, expires_at ON public.credit_grants FOR EACH ROW EXECUTE FUNCTION credits_refuse_change();
CREATE TRIGGER kept BEFORE DELETE ON public.credit_grants FOR EACH ROW EXECUTE FUNCTION credits_refuse_change();

CREATE TABLE credit_holds (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    amount bigint NOT NULL,
    description text NOT NULL,
    grant_ids bigint[] NOT NULL,
    parts bigint[] NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    outcome text,
    cost bigint,
    answer credit_answer,
    CONSTRAINT credit_holds_pkey PRIMARY KEY (id),
    CONSTRAINT credit_holds_amount_check CHECK ((amount > 0)),
    CONSTRAINT credit_holds_check CHECK (((cardinality(parts) = cardinality(grant_ids)) AND (cardinality(parts) > 0))),
    CONSTRAINT credit_holds_check1 CHECK (((cost >= 0) AND (cost <= amount))),
    CONSTRAINT credit_holds_check2 CHECK ((((ended_at IS NULL) = (outcome IS NULL)) AND ((ended_at IS NULL) = (cost IS NULL)))),
    CONSTRAINT credit_holds_outcome_check CHECK ((outcome = ANY (ARRAY['settled'::text, 'expired'::text]))),
    CONSTRAINT credit_holds_user_id_fkey FOREIGN KEY (user_id) REFERENCES credit_accounts(user_id)
);
CREATE INDEX credit_holds_ended ON public.credit_holds USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX credit_holds_open ON public.credit_holds USING btree (user_id, expires_at) WHERE (ended_at IS NULL);

CREATE TABLE credit_keys (
    user_id uuid NOT NULL,
    key text COLLATE "C" NOT NULL,
    method text NOT NULL,
    amount bigint NOT NULL,
    description text NOT NULL,
    lifetime_seconds integer NOT NULL,
    answer credit_answer NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT credit_key_once PRIMARY KEY (user_id, key),
    CONSTRAINT credit_keys_method_check CHECK ((method = ANY (ARRAY['consume'::text, 'hold'::text]))),
    CONSTRAINT credit_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES credit_accounts(user_id)
);
CREATE INDEX credit_keys_age ON public.credit_keys USING btree (created_at);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.credit_keys FOR EACH ROW EXECUTE FUNCTION credits_keep_keys();

CREATE TABLE credit_payments (
    grant_id bigint NOT NULL,
    user_id uuid NOT NULL,
    invoice text NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    CONSTRAINT credit_payments_pkey PRIMARY KEY (grant_id),
    CONSTRAINT credit_payments_amount_check CHECK ((amount > 0)),
    CONSTRAINT credit_payments_currency_check CHECK ((currency <> ''::text)),
    CONSTRAINT credit_payments_invoice_check CHECK ((invoice <> ''::text)),
    CONSTRAINT credit_payments_invoice_key UNIQUE (invoice),
    CONSTRAINT credit_payments_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES credit_grants(id)
);
CREATE INDEX credit_payments_user ON public.credit_payments USING btree (user_id, grant_id);

CREATE TABLE credit_restorations (
    fact text NOT NULL,
    user_id uuid NOT NULL,
    grant_id bigint NOT NULL,
    amount bigint NOT NULL,
    given bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT credit_restoration_once PRIMARY KEY (fact),
    CONSTRAINT credit_restorations_amount_check CHECK ((amount >= 0)),
    CONSTRAINT credit_restorations_check CHECK (((given >= 0) AND (given <= amount))),
    CONSTRAINT credit_restorations_fact_check CHECK (((octet_length(fact) >= 1) AND (octet_length(fact) <= 512))),
    CONSTRAINT credit_restorations_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES credit_grants(id),
    CONSTRAINT credit_restorations_user_id_fkey FOREIGN KEY (user_id) REFERENCES credit_accounts(user_id)
);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.credit_restorations FOR EACH ROW EXECUTE FUNCTION credits_refuse_change();
CREATE TRIGGER append_only_truncate BEFORE TRUNCATE ON public.credit_restorations FOR EACH STATEMENT EXECUTE FUNCTION credits_refuse_change();

CREATE TABLE credit_withdrawals (
    fact text NOT NULL,
    user_id uuid NOT NULL,
    grant_id bigint,
    wanted bigint NOT NULL,
    taken bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    asked bigint,
    CONSTRAINT credit_withdrawal_once PRIMARY KEY (fact),
    CONSTRAINT credit_withdrawals_check CHECK (((taken >= 0) AND (taken <= wanted))),
    CONSTRAINT credit_withdrawals_check1 CHECK ((asked >= wanted)),
    CONSTRAINT credit_withdrawals_fact_check CHECK (((octet_length(fact) >= 1) AND (octet_length(fact) <= 512))),
    CONSTRAINT credit_withdrawals_wanted_check CHECK ((wanted >= 0)),
    CONSTRAINT credit_withdrawals_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES credit_grants(id),
    CONSTRAINT credit_withdrawals_user_id_fkey FOREIGN KEY (user_id) REFERENCES credit_accounts(user_id)
);
CREATE INDEX credit_withdrawals_grant ON public.credit_withdrawals USING btree (grant_id);
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.credit_withdrawals FOR EACH ROW EXECUTE FUNCTION credits_refuse_change();

CREATE TABLE customers (
    user_id uuid NOT NULL,
    customer_id text,
    syncs bigint DEFAULT 0 NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT customers_pkey PRIMARY KEY (user_id),
    CONSTRAINT customer_once UNIQUE (customer_id),
    CONSTRAINT customers_customer_id_check CHECK ((customer_id ~ '^cus_[A-Za-z0-9_]{1,250}$'::text))
);

CREATE TABLE dead_letter (
    consumer text NOT NULL,
    event_id uuid NOT NULL,
    type text NOT NULL,
    headers jsonb NOT NULL,
    payload bytea NOT NULL,
    reason text NOT NULL,
    died_at timestamp with time zone DEFAULT now() NOT NULL,
    redrive_at timestamp with time zone,
    CONSTRAINT dead_letter_pkey PRIMARY KEY (consumer, event_id)
);

CREATE TABLE former_customers (
    customer_id text NOT NULL,
    user_id uuid NOT NULL,
    deleted_at timestamp with time zone NOT NULL,
    CONSTRAINT former_customers_pkey PRIMARY KEY (customer_id),
    CONSTRAINT former_customers_user_id_fkey FOREIGN KEY (user_id) REFERENCES customers(user_id)
);
CREATE INDEX former_customers_by_user ON public.former_customers USING btree (user_id);

CREATE TABLE inbox (
    consumer text NOT NULL,
    event_id uuid NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT inbox_pkey PRIMARY KEY (consumer, event_id)
);

CREATE TABLE notices (
    user_id uuid NOT NULL,
    key text NOT NULL,
    kind text NOT NULL,
    says jsonb NOT NULL,
    noted_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT notices_pkey PRIMARY KEY (user_id, key),
    CONSTRAINT notices_key_check CHECK ((key <> ''::text)),
    CONSTRAINT notices_kind_check CHECK ((kind = ANY (ARRAY['low'::text, 'used_up'::text, 'ending'::text, 'payment_failed'::text, 'plan_changing'::text, 'plan_changed'::text, 'plan_ended'::text])))
);
CREATE INDEX notices_ended ON public.notices USING btree (ended_at) WHERE (ended_at IS NOT NULL);
CREATE INDEX notices_open ON public.notices USING btree (noted_at) WHERE (ended_at IS NULL);

CREATE TABLE notices_seen (
    single boolean DEFAULT true NOT NULL,
    through timestamp with time zone NOT NULL,
    CONSTRAINT notices_seen_pkey PRIMARY KEY (single),
    CONSTRAINT notices_seen_single_check CHECK (single)
);

CREATE TABLE odd_cases (
    object text NOT NULL,
    reason text NOT NULL,
    subscription_id text NOT NULL,
    found_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    CONSTRAINT odd_cases_pkey PRIMARY KEY (object),
    CONSTRAINT odd_cases_object_check CHECK ((object ~ '^[A-Za-z0-9_]{1,255}$'::text)),
    CONSTRAINT odd_cases_reason_check CHECK ((reason <> ''::text))
);

CREATE TABLE outbox (
    seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    id uuid NOT NULL,
    type text NOT NULL,
    "time" timestamp with time zone DEFAULT now() NOT NULL,
    source text NOT NULL,
    subject text NOT NULL,
    version bigint DEFAULT 0 NOT NULL,
    traceparent text DEFAULT ''::text NOT NULL,
    payload bytea NOT NULL,
    stream_seq bigint,
    published_at timestamp with time zone,
    erased boolean DEFAULT false NOT NULL,
    CONSTRAINT outbox_pkey PRIMARY KEY (seq),
    CONSTRAINT outbox_payload_check CHECK ((octet_length(payload) <= 245760)),
    CONSTRAINT outbox_subject_check CHECK ((subject <> ''::text)),
    CONSTRAINT outbox_version_check CHECK ((version >= 0))
);
CREATE INDEX outbox_erased ON public.outbox USING btree (seq) WHERE erased;
CREATE INDEX outbox_erasures ON public.outbox USING btree (subject) WHERE (type ~~ '%.user.erased'::text);
CREATE INDEX outbox_pending ON public.outbox USING btree (seq) WHERE (stream_seq IS NULL);
CREATE INDEX outbox_stream_seq ON public.outbox USING btree (stream_seq) WHERE (stream_seq IS NOT NULL);

CREATE TABLE outbox_stream (
    name text NOT NULL,
    created timestamp with time zone NOT NULL,
    CONSTRAINT outbox_stream_pkey PRIMARY KEY (name)
);

CREATE TABLE pack_prices (
    price_id text NOT NULL,
    product_id text NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    CONSTRAINT pack_prices_pkey PRIMARY KEY (price_id),
    CONSTRAINT pack_prices_amount_check CHECK ((amount > 0)),
    CONSTRAINT pack_prices_currency_check CHECK ((currency <> ''::text)),
    CONSTRAINT pack_prices_price_id_check CHECK ((price_id <> ''::text)),
    CONSTRAINT pack_prices_product_id_check CHECK ((product_id <> ''::text))
);

CREATE TABLE packs_on_their_way (
    checkout_id text NOT NULL,
    user_id uuid NOT NULL,
    credits bigint NOT NULL,
    since timestamp with time zone NOT NULL,
    CONSTRAINT packs_on_their_way_pkey PRIMARY KEY (checkout_id),
    CONSTRAINT packs_on_their_way_checkout_id_check CHECK ((checkout_id <> ''::text)),
    CONSTRAINT packs_on_their_way_credits_check CHECK ((credits > 0))
);
CREATE INDEX packs_on_their_way_user ON public.packs_on_their_way USING btree (user_id);

CREATE TABLE plan_prices (
    price_id text NOT NULL,
    plan_id text NOT NULL,
    period_credits bigint NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT plan_prices_pkey PRIMARY KEY (price_id),
    CONSTRAINT plan_prices_period_credits_check CHECK ((period_credits >= 0)),
    CONSTRAINT plan_prices_price_id_check CHECK ((price_id ~ '^price_[A-Za-z0-9_]{1,250}$'::text)),
    CONSTRAINT plan_prices_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES plans(id)
);

CREATE TABLE plans (
    id text NOT NULL,
    "position" integer NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    monthly_credits bigint NOT NULL,
    price_monthly bigint NOT NULL,
    contact_sales boolean NOT NULL,
    features jsonb NOT NULL,
    price_yearly bigint DEFAULT 0 NOT NULL,
    priority_support boolean DEFAULT false NOT NULL,
    price_fits boolean DEFAULT true NOT NULL,
    yearly_fits boolean DEFAULT true NOT NULL,
    CONSTRAINT plans_pkey PRIMARY KEY (id),
    CONSTRAINT plans_features_check CHECK ((jsonb_typeof(features) = 'array'::text)),
    CONSTRAINT plans_id_check CHECK ((id ~ '^[a-z]{1,32}$'::text)),
    CONSTRAINT plans_monthly_credits_check CHECK ((monthly_credits >= 0)),
    CONSTRAINT plans_position_key UNIQUE ("position"),
    CONSTRAINT plans_price_monthly_check CHECK ((price_monthly >= 0)),
    CONSTRAINT plans_price_yearly_check CHECK ((price_yearly >= 0))
);

CREATE TABLE stripe_account (
    one boolean DEFAULT true NOT NULL,
    account_id text NOT NULL,
    livemode boolean NOT NULL,
    since timestamp with time zone NOT NULL,
    CONSTRAINT stripe_account_pkey PRIMARY KEY (one),
    CONSTRAINT stripe_account_account_id_check CHECK ((account_id ~ '^(acct_[A-Za-z0-9_]{1,250})?$'::text)),
    CONSTRAINT stripe_account_one_check CHECK (one)
);

CREATE TABLE stripe_events (
    id text NOT NULL,
    type text NOT NULL,
    object text NOT NULL,
    livemode boolean NOT NULL,
    created_at timestamp with time zone NOT NULL,
    received_at timestamp with time zone NOT NULL,
    state text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    ended_at timestamp with time zone,
    subscription_id text DEFAULT ''::text NOT NULL,
    CONSTRAINT stripe_events_pkey PRIMARY KEY (id),
    CONSTRAINT stripe_events_check CHECK (((reason <> ''::text) = (state = 'parked'::text))),
    CONSTRAINT stripe_events_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'applied'::text, 'ignored'::text, 'wrong_mode'::text, 'parked'::text])))
);
CREATE INDEX stripe_events_finished ON public.stripe_events USING btree (received_at) WHERE (state = ANY (ARRAY['applied'::text, 'ignored'::text, 'wrong_mode'::text]));
CREATE INDEX stripe_events_parked ON public.stripe_events USING btree (received_at) WHERE (state = 'parked'::text);

CREATE TABLE subscriptions (
    id text NOT NULL,
    user_id uuid NOT NULL,
    stripe_status text NOT NULL,
    status text NOT NULL,
    plan_id text NOT NULL,
    price_id text NOT NULL,
    period_start timestamp with time zone NOT NULL,
    period_end timestamp with time zone NOT NULL,
    cancel_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    next_plan_id text,
    next_at timestamp with time zone,
    due_amount bigint DEFAULT 0 NOT NULL,
    due_currency text DEFAULT ''::text NOT NULL,
    due_since timestamp with time zone,
    monthly_amount bigint,
    currency text DEFAULT ''::text NOT NULL,
    ended_at timestamp with time zone,
    due_processing boolean DEFAULT false NOT NULL,
    "interval" text DEFAULT 'month'::text NOT NULL,
    next_interval text DEFAULT ''::text NOT NULL,
    interval_count integer DEFAULT 1 NOT NULL,
    period_amount bigint,
    CONSTRAINT subscriptions_pkey PRIMARY KEY (id),
    CONSTRAINT next_plan_at CHECK (((next_plan_id IS NULL) = (next_at IS NULL))),
    CONSTRAINT subscriptions_next_plan_id_fkey FOREIGN KEY (next_plan_id) REFERENCES plans(id),
    CONSTRAINT subscriptions_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES plans(id),
    CONSTRAINT subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES customers(user_id)
);
CREATE INDEX subscriptions_by_user ON public.subscriptions USING btree (user_id, created_at DESC);
CREATE INDEX subscriptions_standing ON public.subscriptions USING btree (user_id, status, created_at DESC, id) INCLUDE (plan_id) WHERE (status = ANY (ARRAY['active'::text, 'cancelled'::text, 'past_due'::text, 'paused'::text]));

CREATE TABLE told_plans (
    user_id uuid NOT NULL,
    plan_id text NOT NULL,
    CONSTRAINT told_plans_pkey PRIMARY KEY (user_id),
    CONSTRAINT told_plans_plan_id_fkey FOREIGN KEY (plan_id) REFERENCES plans(id)
);

CREATE OR REPLACE FUNCTION public.credits_adjust(p_user uuid, p_now timestamp with time zone, p_fact text, p_description text, p_amount bigint, p_expires timestamp with time zone)
 RETURNS credit_answer
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.credits_burn(p_user uuid, p_amount bigint, p_how text, OUT grants bigint[], OUT parts bigint[])
 RETURNS record
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.credits_clawback(p_user uuid, p_now timestamp with time zone, p_fact text, p_grant text, p_amount bigint, p_description text)
 RETURNS credit_answer
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.credits_close(p_user uuid, p_now timestamp with time zone, OUT expired bigint, OUT clawed bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.credits_close_hold(p_hold uuid, p_now timestamp with time zone, p_cost bigint, p_outcome text, OUT entry bigint, OUT expired bigint, OUT clawed bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.credits_consume(p_user uuid, p_now timestamp with time zone, p_key text, p_amount bigint, p_description text)
 RETURNS credit_answer
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.credits_deduct(p_user uuid, p_now timestamp with time zone, p_fact text, p_amount bigint, p_description text)
 RETURNS credit_answer
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.credits_end_grant(p_grant bigint, p_now timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.credits_grant(p_user uuid, p_now timestamp with time zone, p_kind text, p_fact text, p_series text, p_replaces boolean, p_reference text, p_description text, p_amount bigint, p_start timestamp with time zone, p_end timestamp with time zone, p_expires timestamp with time zone)
 RETURNS credit_answer
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.credits_hold(p_user uuid, p_now timestamp with time zone, p_key text, p_amount bigint, p_description text, p_lifetime integer, p_hold uuid)
 RETURNS credit_answer
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.credits_keep_keys()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.created_at < now() - interval '31 days' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION '% of % is refused: what was written stays', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$function$
;

CREATE OR REPLACE FUNCTION public.credits_lapse(p_user uuid, p_now timestamp with time zone, OUT expired bigint, OUT clawed bigint, OUT holds bigint)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.credits_lock(p_user uuid)
 RETURNS credit_accounts
 LANGUAGE plpgsql
AS $function$
DECLARE
    account credit_accounts;
BEGIN
    SELECT * INTO account FROM credit_accounts WHERE user_id = p_user FOR NO KEY UPDATE;
    RETURN account;
END
$function$
;

CREATE OR REPLACE FUNCTION public.credits_negative(p_parts bigint[])
 RETURNS bigint[]
 LANGUAGE sql
 IMMUTABLE
RETURN (SELECT array_agg((- p.part) ORDER BY p.place) AS array_agg FROM unnest(credits_negative.p_parts) WITH ORDINALITY p(part, place))
;

CREATE OR REPLACE FUNCTION public.credits_refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    RAISE EXCEPTION '% of % is refused: what was written stays', TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$function$
;

CREATE OR REPLACE FUNCTION public.credits_restore(p_user uuid, p_now timestamp with time zone, p_fact text, p_grant text, p_description text)
 RETURNS credit_answer
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.credits_settle(p_user uuid, p_now timestamp with time zone, p_hold uuid, p_cost bigint)
 RETURNS credit_answer
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.credits_state(p_user uuid)
 RETURNS credit_answer
 LANGUAGE plpgsql
AS $function$
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
$function$
;

CREATE OR REPLACE FUNCTION public.credits_write(p_user uuid, p_now timestamp with time zone, p_kind text, p_amount bigint, p_description text, p_grants bigint[], p_parts bigint[])
 RETURNS bigint
 LANGUAGE plpgsql
AS $function$
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
$function$
;

