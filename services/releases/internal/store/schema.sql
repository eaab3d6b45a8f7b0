-- Generated from the migrations by `go test -run Schema -update`; DO NOT EDIT.

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

CREATE TABLE download_days (
    day date NOT NULL,
    total bigint NOT NULL,
    CONSTRAINT download_days_pkey PRIMARY KEY (day),
    CONSTRAINT download_days_total_check CHECK ((total > 0))
);

CREATE TABLE download_versions (
    version text NOT NULL,
    arch text NOT NULL,
    total bigint NOT NULL,
    CONSTRAINT download_versions_pkey PRIMARY KEY (version, arch),
    CONSTRAINT download_versions_total_check CHECK ((total > 0))
);

CREATE TABLE downloads (
    day date NOT NULL,
    version text NOT NULL,
    filename text NOT NULL,
    arch text NOT NULL,
    count bigint NOT NULL,
    CONSTRAINT downloads_pkey PRIMARY KEY (day, version, filename),
    CONSTRAINT downloads_count_check CHECK ((count > 0))
);

CREATE TABLE github_pages (
    url text NOT NULL,
    etag text NOT NULL,
    link text NOT NULL,
    body bytea NOT NULL,
    CONSTRAINT github_pages_pkey PRIMARY KEY (url)
);

CREATE TABLE github_sync (
    repository text NOT NULL,
    last_check_at timestamp with time zone,
    due_at timestamp with time zone NOT NULL,
    held_until timestamp with time zone NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    wanted boolean DEFAULT false NOT NULL,
    repository_id bigint,
    is_other boolean DEFAULT false NOT NULL,
    CONSTRAINT github_sync_pkey PRIMARY KEY (repository)
);

CREATE TABLE inbox (
    consumer text NOT NULL,
    event_id uuid NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT inbox_pkey PRIMARY KEY (consumer, event_id)
);

CREATE TABLE offered_builds (
    version text NOT NULL,
    name text NOT NULL,
    github_id bigint NOT NULL,
    digest text NOT NULL,
    decided boolean DEFAULT true NOT NULL,
    CONSTRAINT offered_builds_pkey PRIMARY KEY (version, name),
    CONSTRAINT offered_builds_version_fkey FOREIGN KEY (version) REFERENCES releases(version) ON DELETE CASCADE
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

CREATE TABLE preview_links (
    id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
    version text NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    CONSTRAINT preview_links_pkey PRIMARY KEY (id),
    CONSTRAINT preview_links_check CHECK (((ends_at > created_at) AND (ends_at <= (created_at + '30 days'::interval)))),
    CONSTRAINT preview_links_token_hash_check CHECK ((octet_length(token_hash) = 32)),
    CONSTRAINT preview_links_token_hash_key UNIQUE (token_hash),
    CONSTRAINT preview_links_version_fkey FOREIGN KEY (version) REFERENCES releases(version) ON DELETE CASCADE
);

CREATE TABLE release_assets (
    version text NOT NULL,
    name text NOT NULL,
    github_id bigint NOT NULL,
    size bigint NOT NULL,
    url text NOT NULL,
    digest text NOT NULL,
    download_count bigint NOT NULL,
    sha512 text,
    CONSTRAINT release_assets_pkey PRIMARY KEY (version, name),
    CONSTRAINT release_assets_download_count_check CHECK ((download_count >= 0)),
    CONSTRAINT release_assets_sha512_check CHECK ((sha512 ~ '^[A-Za-z0-9+/]{86}==$'::text)),
    CONSTRAINT release_assets_size_check CHECK ((size >= 0)),
    CONSTRAINT release_assets_version_fkey FOREIGN KEY (version) REFERENCES releases(version) ON DELETE CASCADE
);

CREATE TABLE releases (
    version text NOT NULL,
    github_id bigint,
    name text NOT NULL,
    prerelease boolean NOT NULL,
    published_at timestamp with time zone NOT NULL,
    is_available boolean NOT NULL,
    availability_version bigint DEFAULT 0 NOT NULL,
    rollout_percentage smallint DEFAULT 100 NOT NULL,
    notes text DEFAULT ''::text NOT NULL,
    checksums_due_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    replaced_at timestamp with time zone,
    ramp_started_at timestamp with time zone,
    is_required boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone,
    offered_prerelease boolean,
    promoted_at timestamp with time zone,
    chosen_channel text,
    CONSTRAINT releases_pkey PRIMARY KEY (version),
    CONSTRAINT releases_chosen_channel_check CHECK ((chosen_channel = ANY (ARRAY['stable'::text, 'beta'::text, 'alpha'::text]))),
    CONSTRAINT releases_github_id_key UNIQUE (github_id),
    CONSTRAINT releases_name_check CHECK ((name <> ''::text)),
    CONSTRAINT releases_rollout_percentage_check CHECK (((rollout_percentage >= 0) AND (rollout_percentage <= 100))),
    CONSTRAINT releases_version_check CHECK (((length(version) >= 5) AND (length(version) <= 64)))
);

CREATE TABLE update_checks (
    day date NOT NULL,
    channel text NOT NULL,
    version text NOT NULL,
    arch text NOT NULL,
    macos text NOT NULL,
    count bigint NOT NULL,
    CONSTRAINT update_checks_pkey PRIMARY KEY (day, channel, version, arch, macos),
    CONSTRAINT update_checks_count_check CHECK ((count > 0))
);

CREATE TABLE user_channels (
    user_id uuid NOT NULL,
    channel text NOT NULL,
    set_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT user_channels_pkey PRIMARY KEY (user_id),
    CONSTRAINT user_channels_channel_check CHECK ((channel = ANY (ARRAY['stable'::text, 'beta'::text, 'alpha'::text])))
);

