package store_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"fledge.dev/services/identity/internal/account"
	"fledge.dev/services/identity/internal/auditlog"
	"fledge.dev/services/identity/internal/store"
	"fledge.dev/services/platform/audittest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/export"
	"fledge.dev/services/platform/mail"
)

// signsIn has somebody sign in, who may be new or have another address now.
func (f *fixture) signsIn(id uuid.UUID, email string, at time.Time) {
	f.t.Helper()
	_, err := f.RecordSignIn(f.t.Context(), account.SignIn{UserID: id, Email: email, Provider: "google", ConfirmedAt: at, At: at}, at)
	errtest.None(f.t, err)
}

// actionsOn are what staff did to somebody, as they take it along.
func (f *fixture) actionsOn(user account.User) (rows []export.Row) {
	f.t.Helper()
	tables := f.ExportTables()
	table := tables[slices.IndexFunc(tables, func(t export.Table) bool { return t.File == "staff-actions-on-you" })]
	rows, err := table.Read(f.t.Context(), export.Account{ID: user.ID, Emails: []string{user.Email}}, "")
	errtest.None(f.t, err)
	return rows
}

// TestWhoGetsAnAddressGetsNoRecordsOfWhoHadIt: what identity did was done to an account.
func TestWhoGetsAnAddressGetsNoRecordsOfWhoHadIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ann := f.person("ann@old.example", 0)
	disabled := entryAt(1, ada, "boss@example.com", "user.disabled", ann.ID.String(), ann.Email)
	disabled.Service = "identity"
	approved := entryAt(2, ada, "boss@example.com", "waitlist.approved", uuid.NewString(), ann.Email)
	f.logged(disabled, approved)
	f.signsIn(ann.ID, "ann@new.example", epoch.Add(time.Minute))
	bob := f.person("ann@old.example", 120)
	if rows := f.actionsOn(bob); len(rows) != 1 || rows[0].Key != approved.ID.String() {
		t.Errorf("bob takes along %v", rows)
	}
	if rows := f.actionsOn(ann); len(rows) != 2 {
		t.Errorf("ann takes along %d", len(rows))
	}
	for about, want := range map[string][]uuid.UUID{bob.ID.String(): {approved.ID}, "ann@old.example": {approved.ID}, "ann@new.example": {disabled.ID}} {
		page, err := f.AuditEntries(t.Context(), auditlog.Filter{About: about}, nil, 10)
		var ids []uuid.UUID
		for _, e := range page.Entries {
			ids = append(ids, e.ID)
		}
		if err != nil || !slices.Equal(ids, want) {
			t.Errorf("about %s: %v, %v", about, ids, err)
		}
	}
}

// sieve keeps what is to be erased.
type sieve struct {
	sent   []string
	erased []string
}

func (s *sieve) Enqueue(_ context.Context, _ pgx.Tx, e mail.Email) error {
	s.sent = append(s.sent, e.Key)
	return nil
}

func (*sieve) Waiting(context.Context, pgx.Tx, string) (bool, error) { return false, nil }
func (s *sieve) Erase(_ context.Context, _ pgx.Tx, addresses ...string) error {
	s.erased = addresses
	return nil
}

// TestAnErasureTakesNothingFromWhoHasTheAddressNow, though it waited for days.
func TestAnErasureTakesNothingFromWhoHasTheAddressNow(t *testing.T) {
	t.Parallel()
	for name, taken := range map[string]bool{"nobody came": false, "another came": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, mails := newFixture(t), &sieve{}
			f.Store = f.WithEmails(mails, "https://example.com")
			ann := f.person("ann@was.example", 0)
			f.signsIn(ann.ID, "ann@example.com", epoch.Add(time.Minute))
			ann.Email = "ann@example.com"
			f.exec("UPDATE users SET disabled_at = $2, disabled_because = 'deleting', erase_at = $2 WHERE id = $1", ann.ID, epoch)
			begin := epoch.Add(time.Hour)
			errtest.None(t, f.BeginErasure(t.Context(), ann.ID, begin))
			at := func(minutes int, action string) auditlog.Entry {
				e := entryAt(3600+60*minutes, ada, "boss@example.com", action, uuid.NewString(), ann.Email)
				e.Reason = "because"
				return e
			}
			f.logged(at(-10, "before"))
			if taken {
				f.person("ann@example.com", 3601)
			}
			own := at(1, "of an address that nobody has")
			own.Label = "ann@was.example"
			f.logged(at(1, "meanwhile"), own)
			f.exec("DELETE FROM outbox") // they were published
			if done, err := f.FinishErasure(t.Context(), ann.ID, begin.Add(time.Hour)); !done || err != nil {
				t.Fatal(done, err)
			}
			f.logged(at(2, "late"), at(90, "after"))
			page, err := f.AuditEntries(t.Context(), auditlog.Filter{}, nil, store.MaxPage)
			errtest.None(t, err)
			var named []string
			for _, e := range page.Entries {
				if e.Label != "" && e.Reason != "" {
					named = append(named, e.Action)
				}
			}
			want := []string{"after"}
			if taken {
				want = []string{"after", "late", "meanwhile"}
			}
			if !slices.Equal(named, want) {
				t.Errorf("%q name an address, want %q", named, want)
			}
			if slices.Contains(mails.erased, "ann@example.com") == taken || !slices.Contains(mails.erased, "ann@was.example") {
				t.Errorf("emails to %q are erased", mails.erased)
			}
		})
	}
}

// TestALateReportOfASignInChangesNothingBack: all sessions ended since, and what it knows with them.
func TestALateReportOfASignInChangesNothingBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Store = f.WithEmails(&sieve{}, "https://example.com")
	ann := f.person("ann@old.example", 0)
	set := func(context.Context) error { return nil }
	if _, err := f.ChangeAddress(audittest.As(t.Context()), ann.ID, "ann@new.example", "because", epoch.Add(time.Minute), set); err != nil {
		t.Fatal(err)
	}
	f.signsIn(ann.ID, "ann@old.example", epoch.Add(30*time.Second))
	if user, err := f.User(t.Context(), ann.ID); err != nil || user.Email != "ann@new.example" || !user.LastSignInAt.Equal(epoch.Add(30*time.Second)) {
		t.Errorf("%+v, %v", user, err)
	}
	f.signsIn(ann.ID, "ann@newer.example", epoch.Add(2*time.Minute))
	if user, err := f.User(t.Context(), ann.ID); err != nil || user.Email != "ann@newer.example" {
		t.Errorf("%+v, %v", user, err)
	}
}

// TestALateReportOfASignInBringsNoProviderBack: its owner has removed it since.
func TestALateReportOfASignInBringsNoProviderBack(t *testing.T) {
	t.Parallel()
	f, mails := newFixture(t), &sieve{}
	f.Store = f.WithEmails(mails, "https://example.com")
	ann, at := f.person("ann@example.com", 0), epoch.Add(time.Minute+789)
	signIn := account.SignIn{UserID: ann.ID, Email: ann.Email, Provider: "apple", ConfirmedAt: at, At: at}
	opened := signIn
	opened.Identities = []string{"apple", "google"}
	reported := func(in account.SignIn) (user account.User) {
		t.Helper()
		user, err := f.RecordSignIn(t.Context(), in, at)
		errtest.None(t, err)
		return user
	}
	reported(opened)
	if _, err := f.ChangeProviders(t.Context(), ann.ID, at, func(context.Context) ([]string, error) { return []string{"google"}, nil }); err != nil {
		t.Fatal(err)
	}
	told := len(mails.sent)
	if user := reported(signIn); !slices.Equal(user.Identities, []string{"google"}) || len(mails.sent) != told {
		t.Errorf("%q, told of %q", user.Identities, mails.sent[told:])
	}
	// What Kratos says now counts, and so does a later sign-in.
	if user := reported(opened); !slices.Equal(user.Identities, []string{"apple", "google"}) {
		t.Errorf("%q", user.Identities)
	}
	again := signIn
	again.Provider, again.At = "other", at.Add(time.Second)
	if user := reported(again); !slices.Contains(user.Identities, "other") {
		t.Errorf("%q", user.Identities)
	}
}

// TestAProviderThatTheRepairFindsIsToldOf: the report of the sign-in was lost.
func TestAProviderThatTheRepairFindsIsToldOf(t *testing.T) {
	t.Parallel()
	f, mails := newFixture(t), &sieve{}
	f.Store = f.WithEmails(mails, "https://example.com")
	ann := f.person("ann@example.com", 0)
	known := account.Known{UserID: ann.ID, Email: ann.Email, Identities: []string{"apple", "google"}, ConfirmedAt: epoch, CreatedAt: epoch}
	newcomer := account.Known{UserID: uuid.New(), Email: "bob@example.com", Identities: []string{"google"}, ConfirmedAt: epoch, CreatedAt: epoch}
	for range 2 {
		if _, _, err := f.repair(epoch.Add(time.Hour), known, newcomer); err != nil {
			t.Fatal(err)
		}
	}
	if len(mails.sent) != 1 || !strings.Contains(mails.sent[0], "apple") {
		t.Errorf("told of %q", mails.sent)
	}
}
