-- Generated from the migrations by `go test -run Schema -update`; DO NOT EDIT.

CREATE EXTENSION pg_trgm;

CREATE TABLE admin_addresses (
    address_hash bytea NOT NULL,
    user_id uuid,
    since timestamp with time zone NOT NULL,
    CONSTRAINT admin_addresses_pkey PRIMARY KEY (address_hash),
    CONSTRAINT admin_addresses_address_hash_check CHECK ((octet_length(address_hash) = 32)),
    CONSTRAINT admin_addresses_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE SET NULL
);
CREATE INDEX admin_addresses_user ON public.admin_addresses USING btree (user_id);

CREATE TABLE audit_log (
    id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    service text NOT NULL,
    actor_id uuid NOT NULL,
    actor_email text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL,
    subject text NOT NULL,
    subject_label text NOT NULL,
    before jsonb,
    after jsonb,
    client_ip text NOT NULL,
    user_agent text NOT NULL,
    request_id text NOT NULL,
    haystack text COLLATE "C" GENERATED ALWAYS AS (lower(((((subject || ' '::text) || subject_label) || ' '::text) || actor_email))) STORED NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    CONSTRAINT audit_log_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_log_action ON public.audit_log USING btree (action, at DESC, id DESC);
CREATE INDEX audit_log_actor_email ON public.audit_log USING btree (actor_email, at DESC, id DESC);
CREATE INDEX audit_log_actor_id ON public.audit_log USING btree (actor_id, at DESC, id DESC);
CREATE INDEX audit_log_haystack_trgm ON public.audit_log USING gin (haystack gin_trgm_ops);
CREATE INDEX audit_log_newest ON public.audit_log USING btree (at DESC, id DESC);
CREATE INDEX audit_log_subject ON public.audit_log USING btree (subject, at DESC, id DESC);
CREATE INDEX audit_log_subject_label ON public.audit_log USING btree (subject_label, at DESC, id DESC);
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();

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

CREATE TABLE erasure_answers (
    user_id uuid NOT NULL,
    service text NOT NULL,
    answered_at timestamp with time zone NOT NULL,
    CONSTRAINT erasure_answers_pkey PRIMARY KEY (user_id, service),
    CONSTRAINT erasure_answers_user_id_fkey FOREIGN KEY (user_id) REFERENCES erasures(user_id) ON DELETE CASCADE
);

CREATE TABLE erasures (
    user_id uuid NOT NULL,
    emails text[] NOT NULL,
    address_hashes bytea[] NOT NULL,
    began_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT erasures_pkey PRIMARY KEY (user_id),
    CONSTRAINT erasures_check CHECK (((finished_at IS NULL) OR (emails = '{}'::text[])))
);
CREATE INDEX erasures_open ON public.erasures USING btree (began_at) WHERE (finished_at IS NULL);

CREATE TABLE hand_off_codes (
    hash bytea NOT NULL,
    family_id uuid NOT NULL,
    callback text NOT NULL,
    challenge bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    used_at timestamp with time zone,
    device_id uuid,
    CONSTRAINT hand_off_codes_pkey PRIMARY KEY (hash),
    CONSTRAINT hand_off_codes_challenge_check CHECK ((octet_length(challenge) = 32)),
    CONSTRAINT hand_off_codes_check CHECK (((device_id IS NULL) OR (used_at IS NOT NULL))),
    CONSTRAINT hand_off_codes_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT hand_off_codes_device_id_fkey FOREIGN KEY (device_id) REFERENCES session_families(id) ON DELETE SET NULL,
    CONSTRAINT hand_off_codes_family_id_fkey FOREIGN KEY (family_id) REFERENCES session_families(id) ON DELETE CASCADE
);
CREATE INDEX hand_off_codes_created ON public.hand_off_codes USING btree (created_at);
CREATE INDEX hand_off_codes_device ON public.hand_off_codes USING btree (device_id);
CREATE INDEX hand_off_codes_family ON public.hand_off_codes USING btree (family_id, created_at);

CREATE TABLE inbox (
    consumer text NOT NULL,
    event_id uuid NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT inbox_pkey PRIMARY KEY (consumer, event_id)
);

CREATE TABLE job_runs (
    job text NOT NULL,
    began_at timestamp with time zone NOT NULL,
    CONSTRAINT job_runs_pkey PRIMARY KEY (job)
);

CREATE TABLE keys (
    id text NOT NULL,
    purpose text NOT NULL,
    state text NOT NULL,
    sealed bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    state_since timestamp with time zone NOT NULL,
    CONSTRAINT keys_pkey PRIMARY KEY (id),
    CONSTRAINT keys_purpose_check CHECK ((purpose = ANY (ARRAY['access_token'::text, 'refresh_token'::text]))),
    CONSTRAINT keys_state_check CHECK ((state = ANY (ARRAY['next'::text, 'active'::text, 'retired'::text])))
);
CREATE UNIQUE INDEX keys_one_active ON public.keys USING btree (purpose) WHERE (state = 'active'::text);
CREATE UNIQUE INDEX keys_one_next ON public.keys USING btree (purpose) WHERE (state = 'next'::text);

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

CREATE TABLE second_factor_codes (
    user_id uuid NOT NULL,
    hash bytea NOT NULL,
    typed_at timestamp with time zone NOT NULL,
    CONSTRAINT second_factor_codes_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT second_factor_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX second_factor_codes_account ON public.second_factor_codes USING btree (user_id, typed_at);
CREATE INDEX second_factor_codes_age ON public.second_factor_codes USING btree (typed_at);

CREATE TABLE session_families (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    kratos_session_id uuid,
    generation bigint NOT NULL,
    leaf_hash bytea NOT NULL,
    rotated_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    revoked_because text,
    user_agent text NOT NULL,
    ip_address text NOT NULL,
    device_name text DEFAULT ''::text NOT NULL,
    last_active_at timestamp with time zone DEFAULT date_trunc('minute'::text, now()) NOT NULL,
    authenticated_at timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    aal smallint DEFAULT 1 NOT NULL,
    CONSTRAINT session_families_pkey PRIMARY KEY (id),
    CONSTRAINT session_families_aal_check CHECK ((aal = ANY (ARRAY[1, 2]))),
    CONSTRAINT session_families_check CHECK (((revoked_at IS NULL) = (revoked_because IS NULL))),
    CONSTRAINT session_families_device_name_check CHECK ((char_length(device_name) <= 64)),
    CONSTRAINT session_families_generation_check CHECK ((generation >= 0)),
    CONSTRAINT session_families_leaf_hash_check CHECK ((octet_length(leaf_hash) = 32)),
    CONSTRAINT session_families_revoked_because_check CHECK ((revoked_because = ANY (ARRAY['signed_out'::text, 'reuse'::text, 'displaced'::text, 'disabled'::text, 'kratos_ended'::text]))),
    CONSTRAINT session_families_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX session_families_ended ON public.session_families USING btree (LEAST(revoked_at, expires_at));
CREATE INDEX session_families_kratos_session ON public.session_families USING btree (kratos_session_id);
CREATE INDEX session_families_living ON public.session_families USING btree (user_id) WHERE (revoked_at IS NULL);
CREATE UNIQUE INDEX session_families_one_live ON public.session_families USING btree (kratos_session_id) WHERE (revoked_at IS NULL);
CREATE INDEX session_families_opened ON public.session_families USING btree (user_id, created_at);

CREATE TABLE user_roles (
    user_id uuid NOT NULL,
    role text NOT NULL,
    granted_at timestamp with time zone NOT NULL,
    CONSTRAINT user_roles_pkey PRIMARY KEY (user_id, role),
    CONSTRAINT user_roles_role_check CHECK ((role = ANY (ARRAY['user'::text, 'moderator'::text, 'admin'::text]))),
    CONSTRAINT user_roles_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX user_roles_holders ON public.user_roles USING btree (role, user_id) WHERE (role <> 'user'::text);

CREATE TABLE users (
    id uuid NOT NULL,
    email text COLLATE "C" NOT NULL,
    provider text NOT NULL,
    identities text[] NOT NULL,
    disabled_at timestamp with time zone,
    email_confirmed_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_sign_in_at timestamp with time zone NOT NULL,
    roles_version bigint DEFAULT 0 NOT NULL,
    signed_out_at timestamp with time zone,
    disabled_because text,
    erase_at timestamp with time zone,
    kratos_state text,
    state_set_at timestamp with time zone,
    email_off_since timestamp with time zone,
    email_reported_at timestamp with time zone,
    former_emails text[] DEFAULT '{}'::text[] NOT NULL,
    kratos_signed_out_at timestamp with time zone,
    CONSTRAINT users_pkey PRIMARY KEY (id),
    CONSTRAINT users_deleting CHECK (((erase_at IS NOT NULL) = (NOT (disabled_because IS DISTINCT FROM 'deleting'::text)))),
    CONSTRAINT users_disabled_because_check CHECK ((disabled_because = ANY (ARRAY['inactive'::text, 'gone'::text, 'deleting'::text, 'staff'::text]))),
    CONSTRAINT users_email_check CHECK ((((octet_length(email) >= 3) AND (octet_length(email) <= 254)) AND (email = lower(email)))),
    CONSTRAINT users_kratos_state_check CHECK ((kratos_state = ANY (ARRAY['active'::text, 'inactive'::text])))
);
CREATE INDEX users_disabled ON public.users USING btree (id) WHERE (disabled_at IS NOT NULL);
CREATE INDEX users_email ON public.users USING btree (email);
CREATE INDEX users_email_trgm ON public.users USING gin (email gin_trgm_ops);
CREATE INDEX users_erase_at ON public.users USING btree (erase_at) WHERE (erase_at IS NOT NULL);
CREATE INDEX users_former_emails ON public.users USING gin (former_emails) WHERE (former_emails <> '{}'::text[]);
CREATE INDEX users_gone ON public.users USING btree (disabled_at) WHERE (disabled_because = 'gone'::text);
CREATE INDEX users_kratos_state ON public.users USING btree (id) WHERE (kratos_state IS NOT NULL);
CREATE INDEX users_newest ON public.users USING btree (created_at DESC, id DESC);

CREATE OR REPLACE FUNCTION public.audit_log_is_append_only()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('fledge.erasing', true) = 'on'
        OR TG_OP = 'DELETE' AND current_setting('fledge.expiring', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'audit_log is append-only';
END
$function$
;

