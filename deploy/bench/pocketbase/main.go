// Command pocketbase is PocketBase with a waitlist like ours and invented people on it.
//
//	pocketbase DIR ADDRESS SYNCHRONOUS ROWS
//
// SYNCHRONOUS is SQLite's setting: with NORMAL, PocketBase's own choice, an answer does
// not wait for the disk; with FULL it does.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
	_ "github.com/pocketbase/pocketbase/migrations"
)

// pragmas are those of core.DefaultDBConnect but for synchronous.
const pragmas = "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(200000000)" +
	"&_pragma=synchronous(%s)&_pragma=foreign_keys(ON)&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)"

// invented are rows like those that deploy/bench/product gives the product.
const invented = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {:rows})
INSERT INTO waitlist_users (email, status, source, created, updated)
SELECT substr('ada.bob.cyd.dee.', 1 + i % 4 * 4, 4) || lower(hex(randomblob(6))) || '@example.com', 'pending', 'import',
       strftime('%Y-%m-%d %H:%M:%fZ', 'now', '-' || abs(random() % 5184000) || ' seconds'), strftime('%Y-%m-%d %H:%M:%fZ', 'now')
FROM n`

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 4 {
		return errors.New("say DIR ADDRESS SYNCHRONOUS ROWS")
	}
	dir, address, synchronous, rows := args[0], args[1], args[2], args[3]
	app := core.NewBaseApp(core.BaseAppConfig{DataDir: dir, DBConnect: func(file string) (*dbx.DB, error) {
		return dbx.Open("sqlite", file+fmt.Sprintf(pragmas, synchronous))
	}})
	app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		e.InstallerFunc = nil // would open a browser
		return e.Next()
	})
	if err := app.Bootstrap(); err != nil {
		return err
	}
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	if err := app.Save(waitlist()); err != nil {
		return err
	}
	fill := strings.ReplaceAll(invented, "{:rows}", rows)
	for _, sql := range []string{fill, "ANALYZE", "PRAGMA wal_checkpoint(TRUNCATE)"} {
		if _, err := app.NonconcurrentDB().NewQuery(sql).Execute(); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return apis.Serve(app, apis.ServeConfig{HttpAddr: address})
}

// waitlist is what ours has. Everybody may read and add: no token has to be checked.
func waitlist() *core.Collection {
	c := core.NewBaseCollection("waitlist_users")
	c.Fields.Add(
		&core.EmailField{Name: "email", Required: true},
		&core.SelectField{Name: "status", Required: true, Values: []string{"pending", "approved", "rejected"}},
		&core.SelectField{Name: "source", Required: true, Values: []string{"hero_section", "cta_section", "admin", "import"}},
		&core.AutodateField{Name: "created", OnCreate: true},
		&core.AutodateField{Name: "updated", OnCreate: true, OnUpdate: true},
	)
	c.AddIndex("waitlist_users_email", true, "email", "")
	c.AddIndex("waitlist_users_created", false, "created", "")
	c.AddIndex("waitlist_users_updated", false, "updated", "")
	everybody := ""
	c.ListRule, c.CreateRule = &everybody, &everybody
	return c
}
