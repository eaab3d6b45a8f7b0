package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/pgtest"
)

func TestOnlyLocalDatabasesAreSeeded(t *testing.T) {
	for _, url := range []string{
		"postgres://u:p@db.example.com/x", "postgres://u@10.0.0.7/x", "postgres://u@localhost,db.example.com/x", "postgres://u@localhost.example.com/x", "host=db.example.com",
	} {
		if err := add(t.Context(), url, "SELECT 1", 1); !errors.Is(err, errNotLocal) {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, url := range []string{"postgres://u@127.0.0.1:1/x", "postgres://u@[::1]:1/x", "postgres://u@localhost:1/x", "host=/nowhere user=u"} {
		if err := add(t.Context(), url, "SELECT 1", 1); err == nil || errors.Is(err, errNotLocal) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestAsManyRowsAreAddedAsAreAskedFor(t *testing.T) {
	url := pgtest.NewEmpty(t)
	urlFile, sqlFile := filepath.Join(t.TempDir(), "url"), filepath.Join(t.TempDir(), "seed.sql")
	const sql = "CREATE TABLE x AS SELECT n FROM generate_series(1, current_setting('seed.rows')::int) n;"
	if err := errors.Join(os.WriteFile(urlFile, []byte(url+"\n"), 0o600), os.WriteFile(sqlFile, []byte(sql), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range [][]string{{}, {sqlFile}, {"x", sqlFile}, {"0", sqlFile}, {"-5", sqlFile}, {"500001", sqlFile}, {"1", "2", sqlFile}} {
		if err := run(t.Context(), urlFile, wrong); !errors.Is(err, errUsage) {
			t.Errorf("%v: %v", wrong, err)
		}
	}
	if err := run(t.Context(), urlFile, []string{"250", sqlFile}); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	var rows int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM x").Scan(&rows); err != nil || rows != 250 {
		t.Errorf("%d rows, %v", rows, err)
	}
}
