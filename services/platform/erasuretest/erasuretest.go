// Package erasuretest has a service erase an account, and looks for what is left of it in
// the service's database.
package erasuretest

import (
	"context"
	"encoding/hex"
	"fmt"
	"regexp"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	eventsv1 "fledge.dev/proto/gen/go/fledge/events/identity/v1"
	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/bustest"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// Delete has a running service erase an account, as identity does when the account ends, and
// waits until its answer is published and its relay has removed the erased events.
func Delete(t testing.TB, nats *bustest.Server, pool *pgxpool.Pool, service string, account erasure.Account) {
	t.Helper()
	answers := func() (n int) {
		for _, subject := range nats.Published(service, erasure.Erased(service)) {
			if subject == account.ID.String() {
				n++
			}
		}
		return n
	}
	before := answers()
	nats.Publish("identity", bus.Event{
		Type: erasure.Deleted, Subject: account.ID.String(),
		Payload: &eventsv1.UserDeleted{UserId: account.ID.String(), Emails: account.Emails},
	})
	waittest.Eventually(t, service+" answers", func() bool { return answers() == before+1 })
	waittest.Eventually(t, "erased events are removed", func() bool {
		var left int
		errtest.None(t, pool.QueryRow(t.Context(), "SELECT count(*) FROM outbox WHERE erased").Scan(&left))
		return left == 0
	})
}

// columns are those of all tables that are not PostgreSQL's own: the schema, the table, the
// column, and whether it holds bytes.
const columns = `
	SELECT n.nspname, c.relname, a.attname, a.atttypid = 'bytea'::regtype
	FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'm') AND a.attnum > 0 AND NOT a.attisdropped
		AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
	ORDER BY n.nspname, c.relname, a.attnum`

// Search is Find for a test.
func Search(t testing.TB, pool *pgxpool.Pool, words ...string) []string {
	t.Helper()
	hits, err := Find(t.Context(), pool, words...)
	errtest.None(t, err)
	return hits
}

// Find returns the columns that hold one of the words, as "table.column", in every table of
// every schema; a table outside of the schema public is "schema.table.column". It reads text,
// numbers, JSON, arrays and bytes, in which a UUID may also stand as its 16 bytes. Case does
// not matter. A letter before a word makes another word of it: joann@example.com is not
// ann@example.com.
func Find(ctx context.Context, pool *pgxpool.Pool, words ...string) (hits []string, err error) {
	var patterns []string
	for _, word := range words {
		patterns = append(patterns, `(^|[^[:alpha:]])`+regexp.QuoteMeta(word))
		if id, err := uuid.Parse(word); err == nil {
			patterns = append(patterns, hex.EncodeToString(id[:]))
		}
	}
	rows, err := pool.Query(ctx, columns)
	if err != nil {
		return nil, err
	}
	type column struct {
		Schema, Table, Name string
		Bytes               bool
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[column])
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		table, name := pgx.Identifier{c.Schema, c.Table}.Sanitize(), pgx.Identifier{c.Name}.Sanitize()
		text := name + "::text"
		if c.Bytes {
			text = "encode(" + name + ", 'escape') || ' ' || encode(" + name + ", 'hex')"
		}
		var found bool
		err := pool.QueryRow(ctx, "SELECT EXISTS (SELECT FROM "+table+" WHERE "+text+" ~* ANY ($1))", patterns).Scan(&found)
		if err != nil {
			return nil, fmt.Errorf("search %s.%s: %w", table, name, err)
		}
		if !found {
			continue
		}
		hit := c.Table + "." + c.Name
		if c.Schema != "public" {
			hit = c.Schema + "." + hit
		}
		hits = append(hits, hit)
	}
	return hits, nil
}
