package store_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/errtest"
)

func TestUsersAreNewestFirstInPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	type key struct {
		at time.Time
		id uuid.UUID
	}
	var want []key
	for n := range 7 {
		// Pairs share a time, so that the id has to decide between them.
		u := f.person(fmt.Sprintf("person%d@example.com", n), n/2)
		want = append(want, key{u.CreatedAt, u.ID})
	}
	slices.SortFunc(want, func(a, b key) int {
		if c := b.at.Compare(a.at); c != 0 {
			return c
		}
		return strings.Compare(b.id.String(), a.id.String())
	})
	var got []key
	var sizes []int
	for after, n := (*store.Cursor)(nil), 0; n == 0 || after != nil; n++ {
		page, err := f.Users(t.Context(), store.Filter{}, after, 3)
		errtest.None(t, err)
		for _, u := range page.Users {
			got = append(got, key{u.User.CreatedAt, u.User.ID})
		}
		sizes, after = append(sizes, len(page.Users)), page.Next
		// Who comes meanwhile is on no later page.
		f.person(fmt.Sprintf("late%d@example.com", n), 3600)
	}
	if !slices.Equal(got, want) || !slices.Equal(sizes, []int{3, 3, 1}) {
		t.Errorf("pages of %v: %v, want %v", sizes, got, want)
	}
}

func TestAFullPageMayBeTheLast(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.person("ann@example.com", 0)
	f.person("bob@example.com", 0)
	page, err := f.Users(t.Context(), store.Filter{}, nil, 2)
	if err != nil || len(page.Users) != 2 || page.Next != nil {
		t.Errorf("page %+v, %v", page, err)
	}
}

func TestUsersByRole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.person("admin@example.com", 1)
	f.setRoles(f.person("mod@example.com", 2).ID, account.RoleModerator)
	f.setRoles(f.person("both@example.com", 3).ID, account.RoleModerator, account.RoleAdmin)
	f.person("plain@example.com", 4)
	for _, tc := range []struct {
		role   account.Role
		search string
		want   []string
	}{
		{"", "", []string{"plain@example.com", "both@example.com", "mod@example.com", "admin@example.com"}},
		{account.RoleUser, "", []string{"plain@example.com", "both@example.com", "mod@example.com", "admin@example.com"}},
		{account.RoleModerator, "", []string{"both@example.com", "mod@example.com"}},
		{account.RoleAdmin, "", []string{"both@example.com", "admin@example.com"}},
		{account.RoleAdmin, "BOTH", []string{"both@example.com"}},
		{account.RoleAdmin, "plain", nil},
		{account.RoleUser, "plain", []string{"plain@example.com"}},
	} {
		filter := store.Filter{Role: tc.role, Search: tc.search}
		all, err := f.Users(t.Context(), filter, nil, 10)
		if err != nil || !slices.Equal(emails(all), tc.want) {
			t.Errorf("%+v: %v, %v; want %v", filter, emails(all), err, tc.want)
		}
		// The same again, one by one.
		var walked []string
		for after, n := (*store.Cursor)(nil), 0; n == 0 || after != nil; n++ {
			page, err := f.Users(t.Context(), filter, after, 1)
			errtest.None(t, err)
			walked, after = append(walked, emails(page)...), page.Next
		}
		if !slices.Equal(walked, tc.want) {
			t.Errorf("%+v in pages: %v, want %v", filter, walked, tc.want)
		}
	}
	page, err := f.Users(t.Context(), store.Filter{Search: "both"}, nil, 1)
	if want := []account.Role{account.RoleAdmin, account.RoleModerator, account.RoleUser}; err != nil || !slices.Equal(page.Users[0].Roles, want) {
		t.Errorf("roles %v, %v", page.Users, err)
	}
}

func TestSearchIsLiteralAndIgnoresCase(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for n, email := range []string{"100%off@example.com", "snake_case@example.com", "snakexcase@example.com", "plain@example.com", "o'hara@example.com", `back\slash@example.com`, "ada@xn--bcher-kva.example"} {
		f.person(email, n)
	}
	for search, want := range map[string][]string{
		"%":                       {"100%off@example.com"},
		"_":                       {"snake_case@example.com"},
		"E_C":                     {"snake_case@example.com"},
		`\`:                       {`back\slash@example.com`},
		`\%`:                      nil,
		"%%%%":                    nil,
		"SNAKE":                   {"snakexcase@example.com", "snake_case@example.com"},
		"n@e":                     {"plain@example.com"},
		"o'h":                     {"o'hara@example.com"},
		"'; SELECT pg_sleep(9)--": nil,
		"nobody":                  nil,
		"büch":                    nil, // a part of a label is another name in A-labels
		"Bücher.example":          {"ada@xn--bcher-kva.example"},
		"ada@bücher":              {"ada@xn--bcher-kva.example"},
	} {
		page, err := f.Users(t.Context(), store.Filter{Search: search}, nil, 10)
		if err != nil || !slices.Equal(emails(page), want) {
			t.Errorf("search %q found %v, %v; want %v", search, emails(page), err, want)
		}
	}
}

func emails(page store.Page) []string {
	var list []string
	for _, u := range page.Users {
		list = append(list, u.User.Email)
	}
	return list
}

// TestStatesOfAddresses tells of those alone that no active account has.
func TestOnlyWhoMayBeWrittenToHasAnAddress(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ann, off, leaving, hidden := f.person("ann@example.com", 0).ID, f.person("off@example.com", 1).ID, f.person("leaving@example.com", 2).ID, f.person("hidden@example.com", 3).ID
	f.exec(`UPDATE users SET disabled_at = $2, disabled_because = 'staff' WHERE id = $1`, off, epoch)
	f.exec(`UPDATE users SET disabled_at = $2, disabled_because = 'deleting', erase_at = $2 WHERE id = $1`, leaving, epoch)
	f.exec(`UPDATE users SET email_off_since = $2, email_reported_at = $2 WHERE id = $1`, hidden, epoch)
	want := map[uuid.UUID]string{ann: "ann@example.com"}
	for _, undelivered := range []bool{false, true} {
		if undelivered {
			want[hidden] = "hidden@example.com"
		}
		addresses, err := f.Addresses(t.Context(), []uuid.UUID{ann, off, leaving, hidden, uuid.New()}, undelivered)
		if err != nil || !maps.Equal(addresses, want) {
			t.Errorf("undelivered ones %t: %v, %v, want %v", undelivered, addresses, err, want)
		}
	}
}

func TestAnotherAddressIsAnnouncedOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ann := f.person("ann@example.com", 0)
	moved := func(email string) int {
		t.Helper()
		in := account.SignIn{UserID: ann.ID, Email: email, Provider: "google", At: epoch}
		if _, err := f.RecordSignIn(t.Context(), in, epoch); err != nil {
			t.Fatal(err)
		}
		return f.count(`SELECT count(*) FROM outbox WHERE type = 'fledge.identity.v1.user.email_changed' AND subject = $1`, ann.ID.String())
	}
	if n := moved("ann@example.com"); n != 0 {
		t.Errorf("the same address was announced %d times", n)
	}
	if n := moved("else@example.com"); n != 1 {
		t.Errorf("another address was announced %d times", n)
	}
	known := account.Known{UserID: ann.ID, Email: "third@example.com", Identities: []string{"google"}, ConfirmedAt: epoch, CreatedAt: epoch}
	for range 2 {
		if _, _, err := f.repair(epoch, known); err != nil {
			t.Fatal(err)
		}
	}
	if n := moved("third@example.com"); n != 2 {
		t.Errorf("the address that Kratos had was announced with the one before %d times", n)
	}
}

func TestStatesOfAccounts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ann, off, leaving := f.person("ann@example.com", 0).ID, f.person("off@example.com", 1).ID, f.person("leaving@example.com", 2).ID
	f.exec(`UPDATE users SET disabled_at = $2, disabled_because = 'staff' WHERE id = $1`, off, epoch)
	f.exec(`UPDATE users SET disabled_at = $2, disabled_because = 'deleting', erase_at = $2 WHERE id = $1`, leaving, epoch)
	f.exec(`UPDATE users SET disabled_at = $2, disabled_because = 'staff' WHERE id = $1`, f.person("other@example.com", 3).ID, epoch)
	states, err := f.StatesOfAccounts(t.Context(), []uuid.UUID{ann, off, leaving, uuid.New()})
	want := map[uuid.UUID]account.State{off: account.StateDisabled, leaving: account.StateDeleting}
	if err != nil || !maps.Equal(states, want) {
		t.Errorf("%v, %v, want %v", states, err, want)
	}
}

func TestStatesOfAddresses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.person("ann@example.com", 0)
	f.exec(`UPDATE users SET disabled_at = $2, disabled_because = 'staff' WHERE id = $1`, f.person("off@example.com", 1).ID, epoch)
	f.exec(`UPDATE users SET disabled_at = $2, disabled_because = 'deleting', erase_at = $2 WHERE id = $1`, f.person("leaving@example.com", 2).ID, epoch)
	f.exec(`UPDATE users SET disabled_at = $2, disabled_because = 'gone' WHERE id = $1`, f.person("back@example.com", 3).ID, epoch)
	f.person("back@example.com", 4)
	states, err := f.StatesOf(t.Context(), []string{"ann@example.com", "off@example.com", "leaving@example.com", "back@example.com", "nobody@example.com"})
	want := map[string]account.State{"off@example.com": account.StateDisabled, "leaving@example.com": account.StateDeleting}
	if err != nil || !maps.Equal(states, want) {
		t.Errorf("%v, %v, want %v", states, err, want)
	}
}
