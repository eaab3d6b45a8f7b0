package stack_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/deploy/local/stack"
	"fledge.dev/services/platform/errtest"
)

// database connects to a service's database as that service does.
func database(t *testing.T, s *stack.Stack, service string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.DatabaseURL(service))
	errtest.None(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func count(t *testing.T, conn *pgx.Conn, sql string) int {
	t.Helper()
	var n int
	if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return n
}

// column is the first one of all rows.
func column(t *testing.T, conn *pgx.Conn, sql string) []string {
	t.Helper()
	rows, _ := conn.Query(t.Context(), sql) // the error comes with the rows
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return all
}
