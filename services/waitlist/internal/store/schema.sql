-- Generated from the migrations by `go test -run Schema -update`; DO NOT EDIT.

CREATE EXTENSION pg_trgm;

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

CREATE TABLE inbox (
    consumer text NOT NULL,
    event_id uuid NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT inbox_pkey PRIMARY KEY (consumer, event_id)
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

CREATE TABLE unconfirmed (
    id uuid NOT NULL,
    email text COLLATE "C" NOT NULL,
    source text NOT NULL,
    consent text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    token uuid DEFAULT gen_random_uuid() NOT NULL,
    mails integer DEFAULT 1 NOT NULL,
    mailed_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    mail text DEFAULT 'waiting'::text NOT NULL,
    mail_reply text DEFAULT ''::text NOT NULL,
    refused_at timestamp with time zone,
    CONSTRAINT unconfirmed_pkey PRIMARY KEY (id),
    CONSTRAINT unconfirmed_email_check CHECK ((((octet_length(email) >= 3) AND (octet_length(email) <= 254)) AND (email = lower(email)))),
    CONSTRAINT unconfirmed_email_key UNIQUE (email),
    CONSTRAINT unconfirmed_mail_check CHECK ((mail = ANY (ARRAY['waiting'::text, 'sent'::text, 'bounced'::text, 'given_up'::text, 'complained'::text, ''::text]))),
    CONSTRAINT unconfirmed_source_check CHECK ((source = ANY (ARRAY['hero_section'::text, 'cta_section'::text]))),
    CONSTRAINT unconfirmed_token_key UNIQUE (token)
);
CREATE INDEX unconfirmed_mailed_at ON public.unconfirmed USING btree (mailed_at);
CREATE INDEX unconfirmed_newest ON public.unconfirmed USING btree (created_at DESC, id DESC);

CREATE TABLE waitlist_users (
    id uuid NOT NULL,
    email text COLLATE "C" NOT NULL,
    status text NOT NULL,
    source text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    invitation_hash bytea,
    invited_at timestamp with time zone,
    claimed_by uuid,
    claimed_email text DEFAULT ''::text NOT NULL,
    mail text DEFAULT ''::text NOT NULL,
    mail_reply text DEFAULT ''::text NOT NULL,
    leave_token uuid,
    left_at timestamp with time zone,
    wave uuid,
    opened_at timestamp with time zone,
    arrived_at timestamp with time zone,
    imported_at timestamp with time zone,
    invitation_ends_at timestamp with time zone,
    reminded_at timestamp with time zone,
    reminder_hash bytea,
    invitation_expired_at timestamp with time zone,
    consent text DEFAULT ''::text NOT NULL,
    consented_at timestamp with time zone,
    confirmed_at timestamp with time zone,
    spelled text COLLATE "C" DEFAULT ''::text NOT NULL,
    claimed_spelled text COLLATE "C" DEFAULT ''::text NOT NULL,
    former_invited_at timestamp with time zone,
    former_expired_at timestamp with time zone,
    channel text DEFAULT ''::text NOT NULL,
    downloaded_at timestamp with time zone,
    CONSTRAINT waitlist_users_pkey PRIMARY KEY (id),
    CONSTRAINT waitlist_users_claim CHECK (((claimed_by IS NULL) = (claimed_email = ''::text))),
    CONSTRAINT waitlist_users_email_check CHECK ((((octet_length(email) >= 3) AND (octet_length(email) <= 254)) AND (email = lower(email)))),
    CONSTRAINT waitlist_users_email_key UNIQUE (email),
    CONSTRAINT waitlist_users_invitation CHECK (((invitation_hash IS NULL) = (invited_at IS NULL))),
    CONSTRAINT waitlist_users_invitation_hash_check CHECK ((octet_length(invitation_hash) = 32)),
    CONSTRAINT waitlist_users_mail_check CHECK ((mail = ANY (ARRAY[''::text, 'waiting'::text, 'sent'::text, 'bounced'::text, 'given_up'::text, 'complained'::text]))),
    CONSTRAINT waitlist_users_source_check CHECK ((source = ANY (ARRAY['hero_section'::text, 'cta_section'::text, 'admin'::text, 'import'::text]))),
    CONSTRAINT waitlist_users_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text]))),
    CONSTRAINT waitlist_users_version_check CHECK ((version >= 1))
);
CREATE INDEX waitlist_users_approvals ON public.waitlist_users USING btree (updated_at) WHERE (status = 'approved'::text);
CREATE INDEX waitlist_users_channel ON public.waitlist_users USING btree (wave) WHERE (channel <> ''::text);
CREATE INDEX waitlist_users_claimed_by ON public.waitlist_users USING btree (claimed_by) WHERE (claimed_by IS NOT NULL);
CREATE INDEX waitlist_users_email_trgm ON public.waitlist_users USING gin (email gin_trgm_ops);
CREATE INDEX waitlist_users_ending ON public.waitlist_users USING btree (invitation_ends_at) WHERE ((status = 'approved'::text) AND (opened_at IS NULL) AND (arrived_at IS NULL) AND (left_at IS NULL) AND (mail = 'sent'::text));
CREATE INDEX waitlist_users_expired ON public.waitlist_users USING btree (invited_at) WHERE (invitation_expired_at IS NOT NULL);
CREATE UNIQUE INDEX waitlist_users_invitation_hash ON public.waitlist_users USING btree (invitation_hash) WHERE (invitation_hash IS NOT NULL);
CREATE UNIQUE INDEX waitlist_users_leave_token ON public.waitlist_users USING btree (leave_token) WHERE (leave_token IS NOT NULL);
CREATE INDEX waitlist_users_newest ON public.waitlist_users USING btree (created_at DESC, id DESC);
CREATE INDEX waitlist_users_newest_by_status ON public.waitlist_users USING btree (status, created_at DESC, id DESC);
CREATE UNIQUE INDEX waitlist_users_reminder_hash ON public.waitlist_users USING btree (reminder_hash) WHERE (reminder_hash IS NOT NULL);
CREATE INDEX waitlist_users_spelled ON public.waitlist_users USING btree (id) WHERE (spelled <> ''::text);
CREATE INDEX waitlist_users_states ON public.waitlist_users USING btree (status);
CREATE INDEX waitlist_users_undelivered ON public.waitlist_users USING btree (created_at DESC, id DESC) WHERE (mail = ANY (ARRAY['bounced'::text, 'given_up'::text]));
CREATE INDEX waitlist_users_unreminded ON public.waitlist_users USING btree (invited_at) WHERE ((status = 'approved'::text) AND (opened_at IS NULL) AND (arrived_at IS NULL) AND (reminded_at IS NULL) AND (mail = 'sent'::text) AND (left_at IS NULL));

CREATE TABLE waves (
    id uuid NOT NULL,
    search text NOT NULL,
    source text NOT NULL,
    joined_before timestamp with time zone NOT NULL,
    people integer NOT NULL,
    per_minute integer NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    state text NOT NULL,
    total bigint NOT NULL,
    approved bigint DEFAULT 0 NOT NULL,
    undone bigint DEFAULT 0 NOT NULL,
    failed uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    reached timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    next_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone,
    actor_id uuid NOT NULL,
    actor_email text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    changed_at timestamp with time zone,
    starter_lost_role boolean DEFAULT false NOT NULL,
    channel text DEFAULT ''::text NOT NULL,
    CONSTRAINT waves_pkey PRIMARY KEY (id),
    CONSTRAINT waves_people_check CHECK ((people >= 0)),
    CONSTRAINT waves_per_minute_check CHECK ((per_minute >= 0)),
    CONSTRAINT waves_state_check CHECK ((state = ANY (ARRAY['scheduled'::text, 'running'::text, 'paused'::text, 'done'::text, 'cancelled'::text])))
);
CREATE INDEX waves_due ON public.waves USING btree (next_at) WHERE (state = ANY (ARRAY['scheduled'::text, 'running'::text]));

