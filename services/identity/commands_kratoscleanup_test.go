package identity_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

func TestKratosCleanupCommand(t *testing.T) {
	database := pgtest.New(t, "kratos_errors", func(context.Context, string) error { return nil })
	conn, err := pgx.Connect(t.Context(), database)
	errtest.None(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	// The columns that matter, as Kratos' migrations make them.
	if _, err := conn.Exec(t.Context(), `CREATE TABLE selfservice_errors (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), created_at timestamp NOT NULL);
		INSERT INTO selfservice_errors (created_at) SELECT now() AT TIME ZONE 'UTC' - make_interval(hours => 25) FROM generate_series(1, 12000);
		INSERT INTO selfservice_errors (created_at) SELECT now() AT TIME ZONE 'UTC' - make_interval(hours => n) FROM generate_series(0, 23) n`); err != nil {
		t.Fatal(err)
	}
	env := []string{"KRATOS_DATABASE_URL=" + database}
	for _, want := range []string{"removed 12000 ", "removed 0 "} {
		if out, err := command(t, env, "kratos-cleanup"); err != nil || !strings.Contains(out, want) {
			t.Errorf("%q, %v", out, err)
		}
	}
	var left int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM selfservice_errors").Scan(&left); err != nil || left != 24 {
		t.Errorf("%d rows left, %v", left, err)
	}
	for name, wrong := range map[string][]string{"no database": nil, "another": {"KRATOS_DATABASE_URL=memory"}} {
		if _, err := command(t, wrong, "kratos-cleanup"); err == nil || !strings.Contains(err.Error(), "KRATOS_DATABASE_URL") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := command(t, env, "kratos-cleanup", "now"); err == nil {
		t.Error("an argument was taken")
	}
}
