-- +goose Up

-- A person as the product knows them. The id is the Kratos identity's. Somebody
-- who was deleted in Kratos comes back under a new id, so e-mails may repeat.
CREATE TABLE users (
    id                 uuid        PRIMARY KEY,
    email              text        COLLATE "C" NOT NULL CHECK (octet_length(email) BETWEEN 3 AND 254 AND email = lower(email)),
    -- Provider of the latest sign-in, and all that were ever linked.
    provider           text        NOT NULL,
    identities         text[]      NOT NULL,
    disabled_at        timestamptz,
    email_confirmed_at timestamptz NOT NULL,
    created_at         timestamptz NOT NULL,
    last_sign_in_at    timestamptz NOT NULL,
    -- Changes of the roles; the version of roles_changed events.
    roles_version      bigint      NOT NULL DEFAULT 0
);
CREATE INDEX users_newest ON users (created_at DESC, id DESC);
CREATE INDEX users_email ON users (email);

CREATE TABLE user_roles (
    user_id    uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
    role       text        NOT NULL CHECK (role IN ('user', 'moderator', 'admin')),
    granted_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, role)
);
