package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/auditlog"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/errtest"
)

var (
	ada = uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e901")
	bob = uuid.MustParse("0199f3c5-8a52-7b1d-94e8-a6c1f0d2e902")
)

func (f *fixture) logged(entries ...auditlog.Entry) {
	f.t.Helper()
	err := pgx.BeginFunc(f.t.Context(), f.pool, func(tx pgx.Tx) error {
		for _, e := range entries {
			if err := f.AppendAudit(f.t.Context(), tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	errtest.None(f.t, err)
}

func entryAt(second int, actor uuid.UUID, address, action, subject, label string) auditlog.Entry {
	return auditlog.Entry{
		ID: uuid.New(), At: epoch.Add(time.Duration(second) * time.Second), Service: "waitlist", ActorID: actor, ActorEmail: address,
		Action: action, Subject: subject, Label: label, After: `{"status": "approved"}`, ClientIP: "203.0.113.7", UserAgent: "Safari/18", RequestID: "r",
	}
}

func TestTheAuditLogFilters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	entries := []auditlog.Entry{
		entryAt(0, ada, "ada@example.com", "waitlist.approved", "w-0", "100%off@example.com"),
		entryAt(1, bob, "bob@example.com", "waitlist.approved", "w-1", "Zoe@Example.com"),
		entryAt(2, ada, "ada@example.com", "user.roles_changed", "u-2", "snake_case@example.com"),
		entryAt(3, ada, "ada-before@example.com", "waitlist.removed", "w-3", "ada@xn--bcher-kva.example"),
	}
	f.logged(entries...)
	f.logged(entries[1]) // told twice
	second := func(n int) time.Time { return epoch.Add(time.Duration(n) * time.Second) }
	for name, tt := range map[string]struct {
		filter auditlog.Filter
		want   string
	}{
		"all":                      {auditlog.Filter{}, "w-3 u-2 w-1 w-0"},
		"an action":                {auditlog.Filter{Action: "waitlist.approved"}, "w-1 w-0"},
		"an action that is none":   {auditlog.Filter{Action: "waitlist.%"}, ""},
		"an account":               {auditlog.Filter{Actor: strings.ToUpper(ada.String())}, "w-3 u-2 w-0"},
		"an address":               {auditlog.Filter{Actor: "ADA@example.com"}, "u-2 w-0"},
		"a part of an address":     {auditlog.Filter{Actor: "ada"}, ""},
		"an account and an action": {auditlog.Filter{Actor: ada.String(), Action: "user.roles_changed"}, "u-2"},
		"an address and an action": {auditlog.Filter{Actor: "ada@example.com", Action: "waitlist.approved"}, "w-0"},
		"a label in another case":  {auditlog.Filter{Search: "zoe@"}, "w-1"},
		"a domain beyond ASCII":    {auditlog.Filter{Search: "ada@Bücher.example"}, "w-3"},
		"a subject":                {auditlog.Filter{Search: "U-2"}, "u-2"},
		"an actor":                 {auditlog.Filter{Search: "bob@"}, "w-1"},
		"a percent sign":           {auditlog.Filter{Search: "%"}, "w-0"},
		"an underscore":            {auditlog.Filter{Search: "_"}, "u-2"},
		"a backslash":              {auditlog.Filter{Search: `\`}, ""},
		"SQL":                      {auditlog.Filter{Search: "'; SELECT pg_sleep(9)--"}, ""},
		"search, actor and action": {auditlog.Filter{Search: "example", Actor: "ada@example.com", Action: "waitlist.approved"}, "w-0"},
		"search and account":       {auditlog.Filter{Search: "example", Actor: bob.String()}, "w-1"},
		"from":                     {auditlog.Filter{From: second(2)}, "w-3 u-2"},
		"to":                       {auditlog.Filter{To: second(2)}, "w-1 w-0"},
		"from and to":              {auditlog.Filter{From: second(1), To: second(3), Actor: ada.String()}, "u-2"},
		"an empty time":            {auditlog.Filter{From: second(1), To: second(1)}, ""},
	} {
		page, err := f.AuditEntries(t.Context(), tt.filter, nil, 10)
		var got []string
		for _, e := range page.Entries {
			got = append(got, e.Subject)
		}
		if err != nil || strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %v, %v; want %s", name, got, err, tt.want)
		}
	}
	page, err := f.AuditEntries(t.Context(), auditlog.Filter{Search: "w-0"}, nil, 1)
	if err != nil || len(page.Entries) != 1 || page.Entries[0] != entries[0] || page.Next != nil {
		t.Errorf("read back %+v, %v; want %+v", page, err, entries[0])
	}
}

func TestTheAuditLogPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var want []uuid.UUID
	for n := range 7 {
		e := entryAt(n/3, ada, "ada@example.com", "waitlist.approved", "w", "") // three share a time
		f.logged(e)
		want = append(want, e.ID)
	}
	all, err := f.AuditEntries(t.Context(), auditlog.Filter{}, nil, 100)
	if err != nil || len(all.Entries) != len(want) || all.Next != nil {
		t.Fatalf("%+v, %v", all, err)
	}
	for _, filter := range []auditlog.Filter{{}, {Action: "waitlist.approved"}, {Actor: ada.String()}, {Actor: "ada@example.com"}, {Search: "ada"}, {To: epoch.Add(time.Hour)}} {
		var walked []auditlog.Entry
		for after, n := (*store.Cursor)(nil), 0; n == 0 || after != nil; n++ {
			page, err := f.AuditEntries(t.Context(), filter, after, 2)
			if err != nil || len(page.Entries) > 2 {
				t.Fatal(page, err)
			}
			walked, after = append(walked, page.Entries...), page.Next
			f.logged(entryAt(1000+n, bob, "bob@example.com", "waitlist.removed", "later", "")) // newer ones change nothing
			filter.To = epoch.Add(time.Hour)
			if filter.Action == "" && filter.Actor == "" && filter.Search == "" {
				filter.To = epoch.Add(100 * time.Second)
			}
		}
		walked = slices.DeleteFunc(walked, func(e auditlog.Entry) bool { return e.Subject == "later" })
		if !slices.Equal(walked, all.Entries) {
			t.Errorf("%+v walked %d entries, want %d in the same order", filter, len(walked), len(all.Entries))
		}
	}
}

// TestTheAuditLogIsAppendOnly: not even the service's own role changes it.
func TestTheAuditLogIsAppendOnly(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.logged(entryAt(0, ada, "ada@example.com", "waitlist.approved", "w", ""))
	for _, sql := range []string{`UPDATE audit_log SET action = 'x'`, `DELETE FROM audit_log`, `TRUNCATE audit_log`} {
		if _, err := f.pool.Exec(context.Background(), sql); err == nil || !strings.Contains(err.Error(), "append-only") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	if f.count(`SELECT count(*) FROM audit_log`) != 1 {
		t.Error("the entry is gone")
	}
}
