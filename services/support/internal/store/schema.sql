-- Generated from the migrations by `go test -run Schema -update`; DO NOT EDIT.

CREATE EXTENSION pg_trgm;

CREATE SEQUENCE ticket_number AS bigint START 1 INCREMENT 1;

CREATE TABLE canned_answers (
    id uuid NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    CONSTRAINT canned_answers_pkey PRIMARY KEY (id),
    CONSTRAINT canned_answers_body_check CHECK (((char_length(body) >= 1) AND (char_length(body) <= 10000))),
    CONSTRAINT canned_answers_title_check CHECK (((char_length(title) >= 1) AND (char_length(title) <= 100))),
    CONSTRAINT canned_answers_title_key UNIQUE (title)
);

CREATE TABLE customer_plans (
    user_id uuid NOT NULL,
    priority_support boolean NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT customer_plans_pkey PRIMARY KEY (user_id)
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

CREATE TABLE desk_staff (
    id uuid NOT NULL,
    email text NOT NULL,
    notices text,
    CONSTRAINT desk_staff_pkey PRIMARY KEY (id)
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

CREATE TABLE staff_news (
    staff_id uuid NOT NULL,
    ticket_id uuid NOT NULL,
    since timestamp with time zone NOT NULL,
    CONSTRAINT staff_news_pkey PRIMARY KEY (staff_id, ticket_id),
    CONSTRAINT staff_news_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id) ON DELETE CASCADE
);
CREATE INDEX staff_news_of_ticket ON public.staff_news USING btree (ticket_id);

CREATE TABLE ticket_changes (
    id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    ticket_id uuid NOT NULL,
    version bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    actor_id uuid NOT NULL,
    actor_email text NOT NULL,
    field text NOT NULL,
    from_value text NOT NULL,
    to_value text NOT NULL,
    CONSTRAINT ticket_changes_pkey PRIMARY KEY (id),
    CONSTRAINT ticket_changes_field_check CHECK ((field = ANY (ARRAY['status'::text, 'message'::text, 'priority'::text, 'category'::text, 'assignee'::text, 'tags'::text, 'plan'::text, 'opened'::text]))),
    CONSTRAINT ticket_changes_ticket_id_version_field_key UNIQUE (ticket_id, version, field),
    CONSTRAINT ticket_changes_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
CREATE INDEX ticket_changes_assignee ON public.ticket_changes USING btree (ticket_id) WHERE (field = 'assignee'::text);
CREATE INDEX ticket_changes_by_actor ON public.ticket_changes USING btree (actor_id);
CREATE INDEX ticket_changes_resolved ON public.ticket_changes USING btree (at) WHERE ((field = 'status'::text) AND (to_value = 'resolved'::text));

CREATE TABLE ticket_messages (
    id uuid NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    ticket_id uuid NOT NULL,
    author text NOT NULL,
    author_id uuid NOT NULL,
    author_email text NOT NULL,
    body text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    idempotency_key text,
    fingerprint bytea,
    CONSTRAINT ticket_messages_pkey PRIMARY KEY (id),
    CONSTRAINT ticket_messages_author_check CHECK ((author = ANY (ARRAY['customer'::text, 'staff'::text]))),
    CONSTRAINT ticket_messages_author_id_idempotency_key_key UNIQUE (author_id, idempotency_key),
    CONSTRAINT ticket_messages_body_check CHECK (((char_length(body) >= 1) AND (char_length(body) <= 10000))),
    CONSTRAINT ticket_messages_fingerprint_check CHECK ((octet_length(fingerprint) = 32)),
    CONSTRAINT ticket_messages_idempotency_key_check CHECK (((octet_length(idempotency_key) >= 1) AND (octet_length(idempotency_key) <= 255))),
    CONSTRAINT ticket_messages_key_check CHECK (((idempotency_key IS NULL) = (fingerprint IS NULL))),
    CONSTRAINT ticket_messages_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
CREATE INDEX ticket_messages_by_author ON public.ticket_messages USING btree (author_id, created_at DESC) WHERE (author = 'customer'::text);
CREATE INDEX ticket_messages_thread ON public.ticket_messages USING btree (ticket_id, seq DESC);

CREATE TABLE ticket_notes (
    id uuid NOT NULL,
    seq bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    ticket_id uuid NOT NULL,
    author_id uuid NOT NULL,
    author_email text NOT NULL,
    body text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT ticket_notes_pkey PRIMARY KEY (id),
    CONSTRAINT ticket_notes_body_check CHECK (((char_length(body) >= 1) AND (char_length(body) <= 10000))),
    CONSTRAINT ticket_notes_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id)
);
CREATE INDEX ticket_notes_by_author ON public.ticket_notes USING btree (author_id);
CREATE INDEX ticket_notes_of_ticket ON public.ticket_notes USING btree (ticket_id, seq DESC);

CREATE TABLE ticket_search (
    ticket_id uuid NOT NULL,
    version bigint NOT NULL,
    folding smallint NOT NULL,
    folded text COLLATE "C" NOT NULL,
    grams integer[] NOT NULL,
    CONSTRAINT ticket_search_pkey PRIMARY KEY (ticket_id) INCLUDE (version, folding),
    CONSTRAINT ticket_search_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id) ON DELETE CASCADE
) WITH (toast_tuple_target=128);
CREATE INDEX ticket_search_grams ON public.ticket_search USING gin (grams) WITH (fastupdate=off);

CREATE TABLE ticket_viewers (
    ticket_id uuid NOT NULL,
    staff_id uuid NOT NULL,
    email text NOT NULL,
    writing boolean NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    CONSTRAINT ticket_viewers_pkey PRIMARY KEY (ticket_id, staff_id),
    CONSTRAINT ticket_viewers_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id) ON DELETE CASCADE
);
CREATE INDEX ticket_viewers_of_staff ON public.ticket_viewers USING btree (staff_id);
CREATE INDEX ticket_viewers_seen ON public.ticket_viewers USING btree (seen_at);

CREATE TABLE tickets (
    id uuid NOT NULL,
    number bigint DEFAULT nextval('ticket_number'::regclass) NOT NULL,
    user_id uuid NOT NULL,
    user_email text NOT NULL,
    category text NOT NULL,
    priority text NOT NULL,
    status text NOT NULL,
    subject text NOT NULL,
    message text NOT NULL,
    app_version text NOT NULL,
    operating_system text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    idempotency_key text NOT NULL,
    fingerprint bytea NOT NULL,
    search text COLLATE "C" GENERATED ALWAYS AS (folded(((((((('TKT-'::text || lpad((number)::text, GREATEST(6, length((number)::text)), '0'::text)) || '
'::text) || user_email) || '
'::text) || subject) || '
'::text) || message))) STORED NOT NULL,
    last_message_at timestamp with time zone DEFAULT now() NOT NULL,
    last_message_by text DEFAULT 'customer'::text NOT NULL,
    waiting_since timestamp with time zone DEFAULT now(),
    answered_at timestamp with time zone,
    assignee_id uuid,
    assignee_email text DEFAULT ''::text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    raised_from text,
    CONSTRAINT tickets_pkey PRIMARY KEY (id),
    CONSTRAINT tickets_app_version_check CHECK ((char_length(app_version) <= 64)),
    CONSTRAINT tickets_category_check CHECK ((category = ANY (ARRAY['bug'::text, 'feature_request'::text, 'billing'::text, 'technical_support'::text, 'other'::text]))),
    CONSTRAINT tickets_fingerprint_check CHECK ((octet_length(fingerprint) = 32)),
    CONSTRAINT tickets_idempotency_key_check CHECK (((octet_length(idempotency_key) >= 1) AND (octet_length(idempotency_key) <= 255))),
    CONSTRAINT tickets_last_message_by_check CHECK ((last_message_by = ANY (ARRAY['customer'::text, 'staff'::text]))),
    CONSTRAINT tickets_message_check CHECK (((char_length(message) >= 1) AND (char_length(message) <= 10000))),
    CONSTRAINT tickets_number_key UNIQUE (number),
    CONSTRAINT tickets_operating_system_check CHECK ((char_length(operating_system) <= 128)),
    CONSTRAINT tickets_priority_check CHECK ((priority = ANY (ARRAY['low'::text, 'medium'::text, 'high'::text, 'urgent'::text]))),
    CONSTRAINT tickets_status_check CHECK ((status = ANY (ARRAY['open'::text, 'in_progress'::text, 'resolved'::text, 'closed'::text]))),
    CONSTRAINT tickets_subject_check CHECK ((char_length(subject) <= 200)),
    CONSTRAINT tickets_tags_check CHECK ((cardinality(tags) <= 10)),
    CONSTRAINT tickets_user_email_check CHECK (((octet_length(user_email) >= 3) AND (octet_length(user_email) <= 320))),
    CONSTRAINT tickets_user_id_idempotency_key_key UNIQUE (user_id, idempotency_key),
    CONSTRAINT tickets_version_check CHECK ((version >= 1))
);
CREATE INDEX tickets_assigned ON public.tickets USING btree (assignee_id) WHERE (assignee_id IS NOT NULL);
CREATE INDEX tickets_newest ON public.tickets USING btree (created_at DESC, id DESC) INCLUDE (status, category, priority);
CREATE INDEX tickets_newest_by_address ON public.tickets USING btree (lower(user_email), created_at DESC, id DESC);
CREATE INDEX tickets_newest_by_user ON public.tickets USING btree (user_id, created_at DESC, id DESC);
CREATE INDEX tickets_tags ON public.tickets USING gin (tags);
CREATE INDEX tickets_to_do ON public.tickets USING btree (created_at DESC, id DESC) INCLUDE (category) WHERE (status = ANY (ARRAY['open'::text, 'in_progress'::text]));
CREATE INDEX tickets_waiting ON public.tickets USING btree (priority) WHERE (status = ANY (ARRAY['open'::text, 'in_progress'::text]));
CREATE INDEX tickets_waiting_for_us ON public.tickets USING btree (waiting_since, created_at DESC, id DESC) WHERE (waiting_since IS NOT NULL);

CREATE TABLE webhook_calls (
    id uuid NOT NULL,
    ticket_id uuid NOT NULL,
    type text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    next_at timestamp with time zone NOT NULL,
    held_until timestamp with time zone,
    CONSTRAINT webhook_calls_pkey PRIMARY KEY (id),
    CONSTRAINT webhook_calls_type_check CHECK ((type = ANY (ARRAY['ticket.opened'::text, 'ticket.replied'::text]))),
    CONSTRAINT webhook_calls_ticket_id_fkey FOREIGN KEY (ticket_id) REFERENCES tickets(id) ON DELETE CASCADE
);
CREATE INDEX webhook_calls_due ON public.webhook_calls USING btree (next_at);
CREATE INDEX webhook_calls_of_ticket ON public.webhook_calls USING btree (ticket_id);

CREATE OR REPLACE FUNCTION public.folded(text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN lower(($1 COLLATE pg_c_utf8))
;

