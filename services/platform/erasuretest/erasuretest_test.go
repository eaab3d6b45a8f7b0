package erasuretest_test

import (
	"context"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/erasuretest"
	"fledge.dev/services/platform/pgtest"
)

func TestSearchFindsAWordWhereverItStands(t *testing.T) {
	const id, address = "0192f8a0-7a3b-7c1d-9e2f-00112233aabb", "ann@example.com"
	url := pgtest.New(t, "erasuretest", func(ctx context.Context, url string) error {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(ctx) }()
		_, err = conn.Exec(ctx, `
			CREATE SCHEMA mail;
			CREATE TABLE mail.job (args jsonb, errors jsonb[]);
			CREATE TABLE "order" ("user" uuid, ids uuid[], note text, payload bytea, emails text[], n bigint);
			CREATE TABLE untouched (id uuid, email text, payload bytea);
			INSERT INTO mail.job VALUES ('{"to": "Ann@example.com"}', ARRAY['{"error": "no ann@example.com"}'::jsonb]);
			INSERT INTO "order" VALUES ('`+id+`', '{`+id+`}', 'wrote: ann@example.com', '\x0a0f616e6e406578616d706c652e636f6d', '{ann@example.com}', 7);
			INSERT INTO "order" (payload) VALUES (decode(replace('`+id+`', '-', ''), 'hex'));
			INSERT INTO untouched VALUES ('0192f8a0-7a3b-7c1d-9e2f-00112233aabc', 'joann@example.com', '\x0a116a6f616e6e406578616d706c652e636f6d')`)
		return err
	})
	pool := pgtest.Open(t, url)
	for word, want := range map[string][]string{
		address:             {"mail.job.args", "mail.job.errors", "order.note", "order.payload", "order.emails"},
		id:                  {"order.user", "order.ids", "order.payload"},
		"bob@example.com":   nil,
		"joann@example.com": {"untouched.email", "untouched.payload"},
	} {
		if got := erasuretest.Search(t, pool, word); !slices.Equal(got, want) {
			t.Errorf("%s is in %q, want %q", word, got, want)
		}
	}
	if got := erasuretest.Search(t, pool, id, "joann@example.com"); len(got) != 5 {
		t.Errorf("both are in %q", got)
	}
}
