package projection_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/identity/internal/projection"
	"fledge.dev/services/platform/pgtest"
)

func TestWhatIsSwitchedOffInKratosEndsHere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann, bob := r.person("ann@example.com"), r.person("bob@example.com")
	r.browser(ann)
	r.mac(ann)
	r.browser(bob)
	r.incremental()
	if a, b := r.standing(ann), r.standing(bob); a != "active:alive,alive" || b != "active:alive" {
		t.Fatalf("before: %s, %s", a, b)
	}
	r.kratos.change(func() { ann.state = "inactive" })
	r.incremental()
	disabled := r.text(`SELECT disabled_at FROM users WHERE id = $1`, ann.id)
	r.incremental()
	if a, b := r.standing(ann), r.standing(bob); a != "inactive:disabled,disabled" || b != "active:alive" {
		t.Fatalf("switched off: %s, %s", a, b)
	}
	if again := r.text(`SELECT disabled_at FROM users WHERE id = $1`, ann.id); again != disabled {
		t.Errorf("the second run moved the moment from %s to %s", disabled, again)
	}
	// A family that slipped through while the account was being disabled.
	r.mac(ann)
	r.incremental()
	if got := r.standing(ann); got != "inactive:disabled,disabled,disabled" {
		t.Errorf("a late family: %s", got)
	}
	r.kratos.change(func() { ann.state = "active" })
	r.incremental()
	if got := r.standing(ann); got != "active:disabled,disabled,disabled" {
		t.Errorf("switched on: %s", got)
	}
	for effect, want := range map[string]float64{"disabled": 1, "enabled": 1} {
		if got := r.metric("identity_kratos_accounts_changed_total", effect); got != want {
			t.Errorf("%v counted as %s", got, effect)
		}
	}
	if got := r.metric("identity_kratos_families_ended_total", "disabled"); got != 3 {
		t.Errorf("%v families counted", got)
	}
}

func TestWhatIsDeletedInKratosEndsHere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann, bob := r.person("ann@example.com"), r.person("bob@example.com")
	r.browser(ann)
	r.mac(bob)
	r.kratos.change(func() { delete(r.kratos.identities, ann.id) })
	r.incremental()
	if a, b := r.standing(ann), r.standing(bob); a != "gone:disabled" || b != "active:alive" {
		t.Fatalf("deleted: %s, %s", a, b)
	}
	// It costs Kratos no more questions: one about the other account.
	r.kratos.called()
	r.incremental()
	if n := r.kratos.called(); n != 1 {
		t.Errorf("%d calls", n)
	}
	// Should it come back, restored from a copy, the incremental run finds it within a day.
	r.kratos.change(func() { r.kratos.identities[ann.id] = ann })
	r.incremental()
	if a := r.standing(ann); a != "active:disabled" {
		t.Errorf("restored: %s", a)
	}
	// Later the full run does, and only that.
	r.mac(ann)
	r.kratos.change(func() { delete(r.kratos.identities, ann.id) })
	r.incremental()
	r.clock.Advance(24 * time.Hour)
	r.kratos.change(func() { r.kratos.identities[ann.id] = ann })
	r.incremental()
	if a := r.standing(ann); a != "gone:disabled,disabled" {
		t.Errorf("a day later: %s", a)
	}
	r.full()
	if a := r.standing(ann); a != "active:disabled,disabled" {
		t.Errorf("restored late: %s", a)
	}
}

func TestASessionThatEndedInKratosEndsHere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ann := r.person("ann@example.com")
	revoked, deleted := r.browser(ann), r.browser(ann)
	r.browser(ann)
	r.mac(ann)
	r.kratos.change(func() {
		revoked.active = false
		delete(r.kratos.sessions, deleted.id)
	})
	r.incremental()
	if got := r.standing(ann); got != "active:kratos_ended,kratos_ended,alive,alive" {
		t.Errorf("the families: %s", got)
	}
	if got := r.metric("identity_kratos_families_ended_total", "kratos_ended"); got != 2 {
		t.Errorf("%v families counted", got)
	}
}

func TestMoreThanOnePageIsSwept(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	people := r.people(230)
	var sessions []*kratosSession
	for range 260 {
		sessions = append(sessions, r.browser(people[0]))
	}
	for range 800 { // whom we know nothing of
		r.session(people[1], "google", epoch)
	}
	r.kratos.change(func() {
		for i := 50; i < 230; i += 60 {
			people[i].state = "inactive"
		}
		for i := 50; i < 260; i += 50 {
			sessions[i].active = false
		}
	})
	r.kratos.called()
	r.incremental()
	// Three lists of accounts, two of sessions, and five that are missing there.
	if n := r.kratos.called(); n != 10 {
		t.Errorf("%d calls", n)
	}
	if got := r.text(`SELECT count(*) FROM users WHERE disabled_because = 'inactive'`); got != "3" {
		t.Errorf("%s accounts disabled", got)
	}
	if got := r.text(`SELECT count(*) FROM session_families WHERE revoked_because = 'kratos_ended'`); got != "5" {
		t.Errorf("%s sessions ended", got)
	}
}

// TestASilentKratosDisablesNobody: every way of not giving a whole answer.
func TestASilentKratosDisablesNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	people := r.people(3)
	r.browser(people[0])
	say := func(status int, contentType, body string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
			return true
		}
	}
	const json = "application/json"
	lists := func(f func(http.ResponseWriter, *http.Request) bool) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			return (r.URL.Path == "/admin/identities" || r.URL.Path == "/admin/sessions") && f(w, r)
		}
	}
	for name, spoil := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"away": func(w http.ResponseWriter, _ *http.Request) bool {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_ = conn.Close()
			}
			return true
		},
		"failing":              say(500, json, `{"error":{"code":500,"message":"x"}}`),
		"starting":             say(503, "text/plain", "upstream not ready"),
		"refusing":             say(403, json, `{"error":{"code":403,"message":"x"}}`),
		"another's 404":        say(404, "text/plain", "404 page not found"),
		"another's JSON 404":   say(404, json, `{"message":"no such route"}`),
		"a 404 that means 403": say(404, json, `{"error":{"code":403,"message":"x"}}`),
		"empty":                say(200, json, ""),
		"null":                 say(200, json, "null"),
		"an object":            say(200, json, "{}"),
		"cut off":              say(200, json, `[{"id":"`),
		"a page for people":    say(200, "text/html", "<h1>Welcome</h1>"),
		"no content":           say(204, json, ""),
		"elsewhere":            say(307, json, ""),
		"one without a state":  lists(say(200, json, `[{"id":"`+people[0].id.String()+`","schema_id":"p","schema_url":"x","traits":{},"created_at":"2026-01-01T00:00:00Z"}]`)),
		"one in another state": lists(say(200, json, `[{"id":"`+people[0].id.String()+`","schema_id":"p","schema_url":"x","traits":{},"state":"","created_at":"2026-01-01T00:00:00Z"}]`)),
		"one of somebody else": lists(say(200, json, `[{"id":"`+uuid.NewString()+`","schema_id":"p","schema_url":"x","traits":{},"state":"inactive","created_at":"2026-01-01T00:00:00Z"}]`)),
		"one without an id":    lists(say(200, json, `[{"id":"","schema_id":"p","schema_url":"x","traits":{},"state":"inactive","created_at":"2026-01-01T00:00:00Z"}]`)),
		"lists that are empty": lists(say(200, json, "[]")),
		"lists that are null":  lists(say(200, json, "null")),
		"no lists, and another's 404": func(w http.ResponseWriter, r *http.Request) bool {
			return lists(say(200, json, "[]"))(w, r) || say(404, "text/plain", "404 page not found")(w, r)
		},
		"no lists, and a proxy's 404": func(w http.ResponseWriter, r *http.Request) bool {
			return lists(say(200, json, "[]"))(w, r) || say(404, json, `{"error":{"code":502,"message":"x"}}`)(w, r)
		},
		"a list beside the ids": lists(say(200, json, `[{"id":"`+uuid.NewString()+`","schema_id":"p","schema_url":"x","traits":{},"state":"active","created_at":"2026-01-01T00:00:00Z"}]`)),
	} {
		r.kratos.spoiled(spoil)
		r.Reconciler = r.fresh()
		_ = r.Incremental(t.Context())
		_ = r.Full(t.Context(), epoch)
		for _, p := range people {
			if got := r.standing(p); !strings.HasPrefix(got, "active:alive") || strings.Contains(got, "ended") {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
	r.kratos.spoiled(nil)
	r.Reconciler = r.fresh()
	r.incremental()
	r.full()
}

// implausible runs both jobs, neither of which may come through.
func (r *rig) implausible() {
	r.t.Helper()
	for name, err := range map[string]error{"incremental": r.Incremental(r.t.Context()), "full": r.Full(r.t.Context(), time.Time{})} {
		if !errors.Is(err, projection.ErrImplausible) {
			r.t.Errorf("the %s: %v", name, err)
		}
	}
}

func TestAKratosThatKnowsNextToNobodyIsNotOurs(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	people := r.people(20)
	for _, p := range people {
		r.browser(p)
	}
	r.kratos.change(func() {
		r.kratos.identities = map[uuid.UUID]*identity{}
		r.kratos.sessions = map[uuid.UUID]*kratosSession{}
	})
	r.identity("stranger@example.com")
	r.implausible()
	r.implausible() // by now the stranger is an account
	for _, p := range people {
		if got := r.standing(p); got != "active:alive,alive" {
			t.Fatalf("of an empty database: %s", got)
		}
	}
	if n := r.metric("identity_kratos_accounts_changed_total", "implausible"); n != 80 || !strings.Contains(r.log.String(), "level=ERROR") {
		t.Errorf("%v implausible, the log says %s", n, r.log)
	}
	// Enough who are there make the others' absence believable.
	r.kratos.change(func() {
		for _, p := range people[:3] {
			r.kratos.identities[p.id] = p
		}
	})
	for _, p := range people[:3] {
		r.session(p, "google", epoch)
	}
	pgtest.Exec(r.t, r.pool, `UPDATE session_families SET revoked_at = created_at, revoked_because = 'signed_out' WHERE kratos_session_id IS NOT NULL`)
	r.incremental()
	if first, last := r.standing(people[0]), r.standing(people[19]); first != "active:signed_out,alive" || last != "gone:disabled,signed_out" {
		t.Errorf("of the right one: %s, %s", first, last)
	}
}

// Only the whole run tells: here the short last page alone would be believed.
func TestTheSanityCheckCoversTheWholeRun(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	people := r.people(103)
	r.kratos.change(func() {
		for _, p := range people[8:] {
			delete(r.kratos.identities, p.id)
		}
	})
	r.implausible()
	if got := r.text(`SELECT count(*) FROM users WHERE disabled_at IS NOT NULL`); got != "0" {
		t.Errorf("%s disabled", got)
	}
}

// A wrong Kratos is not asked by name about everybody.
func TestAWrongKratosIsNotAskedForEver(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.people(250)
	r.kratos.change(func() { r.kratos.identities = map[uuid.UUID]*identity{} })
	r.implausible()
	if n := r.kratos.called(); n > 203 {
		t.Errorf("%d calls", n)
	}
}

func TestSessionsThatKratosHasLostLiveOn(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	people := r.people(12)
	var sessions []*kratosSession
	for _, p := range people {
		sessions = append(sessions, r.browser(p))
	}
	r.kratos.change(func() { r.kratos.sessions = map[uuid.UUID]*kratosSession{} })
	if err := r.Incremental(t.Context()); !errors.Is(err, projection.ErrImplausible) {
		t.Errorf("swept: %v", err)
	}
	for _, p := range people {
		if got := r.standing(p); got != "active:alive,alive" {
			t.Fatalf("lost: %s", got)
		}
	}
	// Ending all of them, Kratos still knows them.
	r.kratos.change(func() {
		for _, s := range sessions {
			s.active = false
			r.kratos.sessions[s.id] = s
		}
	})
	r.incremental()
	if got := r.standing(people[0]); got != "active:kratos_ended,alive" {
		t.Errorf("ended: %s", got)
	}
}

func TestFewAccountsAreComparedWithTheOthers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		signedIn, others, deleted int // of the accounts
		want                      string
	}{
		"one of three":                   {3, 0, 1, "gone:disabled"},
		"the only one signed in":         {1, 2, 1, "gone:disabled"},
		"the only one there is":          {1, 0, 1, "gone:disabled"},
		"two, and another is there":      {2, 1, 2, "gone:disabled"},
		"an empty Kratos":                {3, 0, 3, "active:alive"},
		"an empty one, one signed in":    {1, 2, 3, "active:alive"},
		"an empty one, nobody signed in": {0, 3, 3, "active:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			people := r.people(c.signedIn)
			for i := range c.others {
				people = append(people, r.person(fmt.Sprintf("other%d@example.com", i)))
			}
			r.kratos.change(func() {
				for _, p := range people[:c.deleted] {
					delete(r.kratos.identities, p.id)
				}
			})
			for range 2 {
				_ = r.Incremental(t.Context())
			}
			if got := r.standing(people[0]); got != c.want {
				t.Errorf("swept: %s, want %s", got, c.want)
			}
			_ = r.Full(t.Context(), epoch)
			if got := r.standing(people[0]); got != c.want {
				t.Errorf("after a full run: %s, want %s", got, c.want)
			}
		})
	}
}

func TestNobodySignedInCostsKratosNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.person("ann@example.com")
	r.incremental()
	if n := r.kratos.called(); n != 0 {
		t.Errorf("%d calls", n)
	}
}
