package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
)

func TestOnlyLocalDatabasesAreSeeded(t *testing.T) {
	urlFile, sqlFile := filepath.Join(t.TempDir(), "url"), filepath.Join(t.TempDir(), "seed.sql")
	errtest.None(t, os.WriteFile(sqlFile, []byte("SELECT 1"), 0o600))
	seed := func(url string) error {
		errtest.None(t, os.WriteFile(urlFile, []byte(url), 0o600))
		return run(t.Context(), urlFile, []string{"1", sqlFile})
	}
	for _, url := range []string{
		"postgres://u:p@db.example.com/x", "postgres://u@10.0.0.7/x", "postgres://u@localhost,db.example.com/x", "postgres://u@localhost.example.com/x", "host=db.example.com",
	} {
		if err := seed(url); !errors.Is(err, errNotLocal) {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, url := range []string{"postgres://u@127.0.0.1:1/x", "postgres://u@[::1]:1/x", "postgres://u@localhost:1/x", "host=/nowhere user=u"} {
		if err := seed(url); err == nil || errors.Is(err, errNotLocal) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestAsManyRowsAreAddedAsAreAskedFor(t *testing.T) {
	url := pgtest.NewEmpty(t)
	urlFile, sqlFile := filepath.Join(t.TempDir(), "url"), filepath.Join(t.TempDir(), "seed.sql")
	const sql = "CREATE TABLE x AS SELECT n FROM generate_series(1, current_setting('seed.rows')::int) n;"
	errtest.None(t, errors.Join(os.WriteFile(urlFile, []byte(url+"\n"), 0o600), os.WriteFile(sqlFile, []byte(sql), 0o600)))
	for _, wrong := range [][]string{{}, {sqlFile}, {"x", sqlFile}, {"0", sqlFile}, {"-5", sqlFile}, {"500001", sqlFile}, {"1", "2", sqlFile}} {
		if err := run(t.Context(), urlFile, wrong); !errors.Is(err, errUsage) {
			t.Errorf("%v: %v", wrong, err)
		}
	}
	errtest.None(t, run(t.Context(), urlFile, []string{"250", sqlFile}))
	conn, err := pgx.Connect(t.Context(), url)
	errtest.None(t, err)
	defer func() { _ = conn.Close(t.Context()) }()
	var rows int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM x").Scan(&rows); err != nil || rows != 250 {
		t.Errorf("%d rows, %v", rows, err)
	}
}
