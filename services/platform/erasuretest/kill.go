package erasuretest

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// A transaction is an erasure's if it has written or locked a row of the witness. Sequences
// count over transactions that are lost.
const kills = `
CREATE SCHEMA IF NOT EXISTS kills;
CREATE OR REPLACE FUNCTION kills.once() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE ours boolean;
BEGIN
	EXECUTE format('SELECT EXISTS (SELECT FROM %s WHERE $1 IN (xmin, xmax))', TG_ARGV[0]) INTO ours USING pg_current_xact_id()::xid;
	IF ours AND nextval(TG_ARGV[1]::regclass) = 1 THEN
		PERFORM pg_terminate_backend(pg_backend_pid());
	END IF;
	RETURN NULL;
END $$;`

// Kill has PostgreSQL end the connection once after the first write of an erasure to each of the
// tables, as a kill of the process there would. A transaction belongs to an erasure that has
// written or locked a row of the table witness: a service's inbox, or identity's erasures. Killed
// ends it.
func Kill(t testing.TB, pool *pgxpool.Pool, witness string, tables ...string) {
	t.Helper()
	exec := func(sql string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec(kills)
	for _, table := range tables {
		sequence := pgx.Identifier{"kills", table}.Sanitize()
		exec("CREATE SEQUENCE " + sequence)
		exec("CREATE TRIGGER zz_kill AFTER INSERT OR UPDATE OR DELETE ON " + table +
			" FOR EACH STATEMENT EXECUTE FUNCTION kills.once('" + witness + "', '" + sequence + "')")
	}
}

// Killed removes what Kill has made, and fails unless each kill has happened.
func Killed(t testing.TB, pool *pgxpool.Pool, tables ...string) {
	t.Helper()
	for _, table := range tables {
		sequence := pgx.Identifier{"kills", table}.Sanitize()
		var happened bool
		if err := pool.QueryRow(t.Context(), "SELECT is_called FROM "+sequence).Scan(&happened); err != nil || !happened {
			t.Errorf("nothing was killed at %s: %v", table, err)
		}
		if _, err := pool.Exec(t.Context(), "DROP TRIGGER zz_kill ON "+table+"; DROP SEQUENCE "+sequence); err != nil {
			t.Fatal(err)
		}
	}
}
