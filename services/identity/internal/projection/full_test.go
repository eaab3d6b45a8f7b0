package projection_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/errtest"
)

// record is what the account says, or "" when there is none.
func (r *rig) record(i *identity) string {
	r.t.Helper()
	return r.text(`SELECT coalesce((SELECT concat_ws(' ', email, provider, identities::text, to_char(created_at AT TIME ZONE 'UTC', 'HH24:MI'),
		to_char(email_confirmed_at AT TIME ZONE 'UTC', 'HH24:MI'), to_char(last_sign_in_at AT TIME ZONE 'UTC', 'HH24:MI')) FROM users WHERE id = $1), '')`, i.id)
}

func TestAccountsThatNoHookToldOfAreAdded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	admin, ann, unverified, off := r.identity("admin@example.com"), r.identity("ann@example.com"), r.identity("victim@example.com"), r.identity("off@example.com")
	r.kratos.change(func() {
		ann.providers = []string{"google", "apple", "apple"}
		unverified.verified = false
		off.state = "inactive"
	})
	r.session(ann, "google", epoch.Add(-30*time.Minute))
	r.session(ann, "apple", epoch.Add(-20*time.Minute)).active = false
	r.session(ann, "google", epoch.Add(-25*time.Minute))
	for range 2 {
		r.full()
		for i, want := range map[*identity]string{
			admin:      "admin@example.com google {google} 11:00 11:00 11:00",
			ann:        "ann@example.com apple {apple,google} 11:00 11:00 11:40",
			off:        "off@example.com google {google} 11:00 11:00 11:00",
			unverified: "",
		} {
			if got := r.record(i); got != want {
				t.Errorf("%s: %q, want %q", i.email, got, want)
			}
		}
		if got := r.standing(off); got != "inactive:" {
			t.Errorf("switched off from the beginning: %s", got)
		}
	}
	// As at a first sign-in: everybody's role, and then the admin's, each told once.
	roles := r.text(`SELECT string_agg(role, ',' ORDER BY role) FROM user_roles WHERE user_id = $1`, admin.id)
	events := r.text(`SELECT count(*) FROM outbox WHERE type LIKE '%.roles_changed' AND subject = $1::text`, admin.id.String())
	if roles != "admin,user" || events != "2" {
		t.Errorf("the admin is %s after %s events", roles, events)
	}
	if added := r.metric("identity_kratos_accounts_changed_total", "added"); added != 3 {
		t.Errorf("%v added", added)
	}
}

func TestWhatNothingReadsIsRemovedFromKratos(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann, bob := r.person("ann@example.com"), r.identity("bob@example.com")
	ann.surplus, bob.surplus = map[string]any{"name": "Ann"}, map[string]any{"name": "Bob"}
	r.kratos.spoiled(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method != http.MethodPatch || q.URL.Path != "/admin/identities/"+bob.id.String() {
			return false
		}
		answer(w, http.StatusInternalServerError, map[string]any{})
		return true
	})
	r.full() // what fails for one keeps nothing else from being done
	if len(ann.surplus) != 0 || len(bob.surplus) != 1 || r.record(bob) == "" {
		t.Errorf("left of ann's %v, of bob's %v, who is known as %q", ann.surplus, bob.surplus, r.record(bob))
	}
	r.kratos.spoiled(nil)
	r.full()
	if trimmed := r.metric("identity_kratos_accounts_changed_total", "trimmed"); len(bob.surplus) != 0 || trimmed != 2 {
		t.Errorf("left of bob's %v, %v trimmed", bob.surplus, trimmed)
	}
	r.full()
	if r.metric("identity_kratos_accounts_changed_total", "trimmed") != 2 {
		t.Error("trimmed again")
	}
}

// TestAKratosThatRemovesNothingIsLeftAlone until the next run, and said to fail once.
func TestAKratosThatRemovesNothingIsLeftAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for n := range 20 {
		r.identity(fmt.Sprintf("p%d@example.com", n)).surplus = map[string]any{"name": "P"}
	}
	asked := 0
	r.kratos.spoiled(func(w http.ResponseWriter, q *http.Request) bool {
		if q.Method != http.MethodPatch {
			return false
		}
		asked++
		answer(w, http.StatusInternalServerError, map[string]any{})
		return true
	})
	r.full()
	if asked != 5 || strings.Count(r.log.String(), "cannot be removed") != 1 {
		t.Errorf("asked %d times: %s", asked, r.log)
	}
	if added := r.metric("identity_kratos_accounts_changed_total", "added"); added != 20 {
		t.Errorf("%v accounts added", added)
	}
}

func TestWhatKratosKnowsBetterIsRepaired(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann, bob := r.person("ann@example.com"), r.person("bob@example.com")
	r.full()
	if n := r.metric("identity_kratos_accounts_changed_total", "repaired"); n != 0 {
		t.Fatalf("%v repaired that were right", n)
	}
	r.kratos.change(func() {
		ann.email, ann.providers = "Ann.New@example.com", []string{"apple"}
		bob.created = bob.created.Add(-time.Hour)
	})
	for range 2 {
		r.full()
		if a, b := r.record(ann), r.record(bob); a != "ann.new@example.com google {apple} 11:00 11:00 11:00" || b != "bob@example.com google {google} 10:00 10:00 11:00" {
			t.Errorf("repaired: %q, %q", a, b)
		}
	}
	if n := r.metric("identity_kratos_accounts_changed_total", "repaired"); n != 2 {
		t.Errorf("%v repaired", n)
	}
	// A new address counts from when it is verified on.
	r.kratos.change(func() { ann.email, ann.verified = "victim@example.com", false })
	r.full()
	if got := r.record(ann); got != "ann.new@example.com google {apple} 11:00 11:00 11:00" {
		t.Errorf("an unverified address: %q", got)
	}
}

// TestAnOldListUndoesNothing: a person removes Google, and another is erased, while the list that has them is on its way.
func TestAnOldListUndoesNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann, bob := r.person("ann@example.com"), r.person("bob@example.com")
	ann.providers, bob.providers = []string{"apple", "google"}, []string{"apple"}
	r.kratos.spoiled(func(w http.ResponseWriter, q *http.Request) bool {
		if q.URL.Path != "/admin/identities" {
			return false
		}
		r.kratos.listIdentities(w, q)
		ann.providers = []string{"apple"}
		delete(r.kratos.identities, bob.id)
		_, err := r.store.ChangeProviders(q.Context(), ann.id, epoch, func(context.Context) ([]string, error) { return ann.providers, nil })
		if err != nil {
			t.Error(err)
		}
		return true
	})
	r.full()
	if a, b := r.record(ann), r.record(bob); !strings.Contains(a, " {apple} ") || !strings.Contains(b, " {google} ") {
		t.Errorf("%q, %q", a, b)
	}
	if n := r.metric("identity_kratos_accounts_changed_total", "repaired"); n != 0 {
		t.Errorf("%v repaired", n)
	}
}

func TestSignInsGoForwardOnly(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann := r.person("ann@example.com")
	r.session(ann, "apple", epoch.Add(-2*time.Hour))
	r.session(ann, "", epoch.Add(-50*time.Minute)) // newer than the record, of no provider
	bob := r.person("bob@example.com")
	r.session(bob, "apple", epoch.Add(-2*time.Hour))
	r.full()
	if a, b := r.record(ann), r.record(bob); a != "ann@example.com google {google} 11:00 11:00 11:10" || b != "bob@example.com google {google} 11:00 11:00 11:00" {
		t.Errorf("got %q, %q", a, b)
	}
}

func TestTheFullRunGoesOverManyPages(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	people := r.people(150)
	var unknown []*identity
	for n := range 150 {
		unknown = append(unknown, r.identity(fmt.Sprintf("unknown%d@example.com", n)))
	}
	r.kratos.change(func() {
		delete(r.kratos.identities, people[0].id)
		delete(r.kratos.identities, people[149].id)
		people[70].state = "inactive"
	})
	for _, i := range unknown {
		for n := range 3 {
			r.session(i, "google", epoch.Add(time.Duration(n)*time.Minute))
		}
	}
	r.full()
	if got := r.text(`SELECT count(*) FROM users WHERE last_sign_in_at = $1`, epoch.Add(2*time.Minute)); got != "150" {
		t.Errorf("%s sign-ins taken over", got)
	}
	for i, want := range map[*identity]string{
		people[0]: "gone:disabled", people[149]: "gone:disabled", people[70]: "inactive:disabled", people[1]: "active:alive", people[148]: "active:alive",
	} {
		if got := r.standing(i); got != want {
			t.Errorf("%s: %s, want %s", i.email, got, want)
		}
	}
	if n := r.metric("identity_kratos_accounts_seen_total", "kratos_full_reconcile"); n != 298 {
		t.Errorf("%v seen", n)
	}
	// Nothing is left to do, and nobody is asked about by name: three pages of
	// identities and two of sessions.
	r.kratos.called()
	r.full()
	if n := r.kratos.called(); n != 5 {
		t.Errorf("%d calls", n)
	}
	if n := r.metric("identity_kratos_accounts_changed_total", "repaired"); n != 0 {
		t.Errorf("%v repaired", n)
	}
}

func TestOldSignInsAreNotReadAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann := r.person("ann@example.com")
	for n := range 1000 {
		r.session(ann, "google", epoch.Add(-24*time.Hour-time.Duration(n)*time.Minute))
	}
	r.kratos.called()
	errtest.None(t, r.Full(t.Context(), epoch.Add(-time.Hour)))
	if n := r.kratos.called(); n != 2 {
		t.Errorf("%d calls, want one for identities and one for sessions", n)
	}
}

// TestAnAddressThatDoesNotFitHoldsNobodyUp: one bad record must not end each
// run at the same place.
func TestAnAddressThatDoesNotFitHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	for _, email := range []string{"", string(make([]rune, 260)), "a\x00b@example.com"} {
		i := r.identity(email)
		i.id = uuid.New()
	}
	long := r.identity(fmt.Sprintf("%0250d@example.com", 1))
	ann := r.identity("ann@example.com")
	r.full()
	if r.record(long) != "" || r.record(ann) == "" {
		t.Errorf("%q, %q", r.record(long), r.record(ann))
	}
}
