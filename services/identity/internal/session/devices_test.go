package session_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pgtest"
)

func (r *rig) devices(s session.Session) []session.Family {
	r.t.Helper()
	families, err := r.Devices(r.t.Context(), r.caller(s))
	r.do(err)
	return families
}

func ids(families []session.Family) (out []uuid.UUID) {
	for _, f := range families {
		out = append(out, f.ID)
	}
	return out
}

func TestDevicesAreTheLivingOnesLatestFirst(t *testing.T) {
	r := newRig(t)
	laptop := r.create(r.signIn("ann@example.com"))
	r.create(r.signIn("bob@example.com"))
	r.clock.Advance(time.Minute)
	mac := r.mac(laptop)
	r.clock.Advance(time.Minute)
	gone := r.mac(laptop)
	r.do(r.SignOut(t.Context(), r.caller(gone), ""))
	if got, want := ids(r.devices(laptop)), []uuid.UUID{r.familyOf(mac), r.familyOf(laptop)}; !slices.Equal(got, want) {
		t.Errorf("devices %v, want %v", got, want)
	}
	laptop = r.refresh(laptop.RefreshToken)
	got := r.devices(laptop)
	if want := []uuid.UUID{r.familyOf(laptop), r.familyOf(mac)}; !slices.Equal(ids(got), want) {
		t.Errorf("devices after a refresh %v, want %v", ids(got), want)
	}
	if got[0].Kind() != session.Browser || got[1].Kind() != session.Mac || got[1].Device.Name != "Ann's MacBook" || got[0].Device.UserAgent != "test" {
		t.Errorf("devices %+v", got)
	}
}

func TestExpiredDevicesAreNotListed(t *testing.T) {
	r := newRig(t)
	mac := r.mac(r.create(r.signIn("ann@example.com")))
	r.clock.Advance(session.Lifetime - time.Minute)
	laptop := r.create(r.signIn("ann@example.com"))
	if got := r.devices(laptop); len(got) != 3 {
		t.Errorf("%d devices", len(got))
	}
	r.clock.Advance(time.Minute)
	if got := ids(r.devices(laptop)); !slices.Equal(got, []uuid.UUID{r.familyOf(laptop)}) {
		t.Errorf("devices %v", got)
	}
	r.dead("a Mac after thirty days", mac)
}

func TestActivityIsKeptToTheMinute(t *testing.T) {
	r := newRig(t)
	cookie := r.signIn("ann@example.com")
	start := r.clock.Now()
	s := r.create(cookie)
	version := func() int {
		return pgtest.One[int](r.t, r.pool, `SELECT xmin::text::bigint FROM session_families WHERE id = $1`, r.familyOf(s))
	}
	first := version()
	r.clock.Advance(59 * time.Second)
	if r.create(cookie); version() != first {
		t.Error("written twice in one minute")
	}
	r.clock.Advance(2 * time.Second)
	if r.create(cookie); !r.devices(s)[0].LastActiveAt.Equal(start.Add(time.Minute)) {
		t.Errorf("active %s, started %s", r.devices(s)[0].LastActiveAt, start)
	}
	r.clock.Advance(2 * time.Minute)
	child := r.refresh(s.RefreshToken)
	if at := r.devices(child)[0].LastActiveAt; !at.Equal(start.Add(3 * time.Minute)) {
		t.Errorf("active %s after a refresh, started %s", at, start)
	}
}

func TestRevokedDevicesAreOver(t *testing.T) {
	r := newRig(t)
	cookie := r.signIn("ann@example.com")
	laptop, desk := r.create(r.signIn("ann@example.com")), r.create(cookie)
	mac := r.mac(desk)
	for range 2 { // a second call changes nothing
		r.do(r.RevokeDevice(t.Context(), r.caller(laptop), r.familyOf(mac)))
		r.do(r.RevokeDevice(t.Context(), r.caller(laptop), r.familyOf(desk)))
	}
	r.dead("the Mac", mac)
	r.dead("the browser", desk)
	if !r.kratos.ended[r.kratos.sessions[cookie].ID] {
		t.Error("the Kratos session lives on")
	}
	if got := ids(r.devices(laptop)); !slices.Equal(got, []uuid.UUID{r.familyOf(laptop)}) {
		t.Errorf("devices %v", got)
	}
	_, err := r.Devices(t.Context(), r.caller(mac))
	r.refused(err, fault.Unauthenticated)
	r.refused(r.RevokeDevice(t.Context(), r.caller(mac), r.familyOf(laptop)), fault.Unauthenticated)
	r.refresh(laptop.RefreshToken)
}

func TestOnlyOnesOwnDevicesCanBeRevoked(t *testing.T) {
	r := newRig(t)
	ann, bob := r.create(r.signIn("ann@example.com")), r.create(r.signIn("bob@example.com"))
	for name, id := range map[string]uuid.UUID{"bob's": r.familyOf(bob), "nobody's": uuid.New(), "nil": uuid.Nil} {
		if err := r.RevokeDevice(t.Context(), r.caller(ann), id); fault.Of(err).Kind != fault.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	r.refresh(bob.RefreshToken)
}

func TestRevokingHoldsWhileKratosIsDown(t *testing.T) {
	r := newRig(t)
	cookie := r.signIn("ann@example.com")
	laptop, desk := r.create(r.signIn("ann@example.com")), r.create(cookie)
	r.kratos.setDown(fault.New(fault.Unavailable, "kratos_unavailable", "down"))
	r.refused(r.RevokeDevice(t.Context(), r.caller(laptop), r.familyOf(desk)), fault.Unavailable)
	r.kratos.setDown(nil)
	r.dead("the browser", desk)
	r.do(r.RevokeDevice(t.Context(), r.caller(laptop), r.familyOf(desk)))
	if !r.kratos.ended[r.kratos.sessions[cookie].ID] {
		t.Error("asking again did not end the Kratos session")
	}
}

func TestOneMacTooManyEndsTheLeastRecentlyUsed(t *testing.T) {
	r := newRig(t)
	browser := r.create(r.signIn("ann@example.com"))
	bob := r.mac(r.create(r.signIn("bob@example.com")))
	macs := []session.Session{}
	for range session.MaxPerKind {
		macs = append(macs, r.mac(browser))
		r.clock.Advance(time.Minute)
	}
	macs[0] = r.refresh(macs[0].RefreshToken)
	browser = r.refresh(browser.RefreshToken)
	newest := r.mac(browser)
	r.dead("the least recently used Mac", macs[1])
	for _, s := range []session.Session{macs[0], macs[2], newest, bob, browser} {
		r.refresh(s.RefreshToken)
	}
	if n := pgtest.One[int](r.t, r.pool, `SELECT count(*) FROM session_families WHERE revoked_because = 'displaced'`); n != 1 {
		t.Errorf("%d displaced", n)
	}
	err := testutil.GatherAndCompare(r.metrics, strings.NewReader(`
		# HELP identity_families_revoked_total Session families ended early, by reason (signed_out, reuse, displaced, disabled by staff). Those that Kratos ended count in identity_kratos_families_ended_total.
		# TYPE identity_families_revoked_total counter
		identity_families_revoked_total{reason="displaced"} 1
	`), "identity_families_revoked_total")
	r.do(err)
}

func TestOneBrowserTooManySignsTheLeastRecentlyUsedOut(t *testing.T) {
	r := newRig(t)
	first := r.signIn("ann@example.com")
	oldest := r.create(first)
	mac := r.mac(oldest)
	for range session.MaxPerKind {
		r.clock.Advance(time.Minute)
		r.create(r.signIn("ann@example.com"))
	}
	r.dead("the least recently used browser", oldest)
	if !r.kratos.ended[r.kratos.sessions[first].ID] {
		t.Error("the Kratos session lives on")
	}
	delete(r.kratos.ended, r.kratos.sessions[first].ID) // as if Kratos had been down
	_, err := r.Create(t.Context(), first, session.Device{})
	r.refused(err, fault.Unauthenticated)
	mac = r.refresh(mac.RefreshToken)
	if n := len(r.devices(mac)); n != session.MaxPerKind+1 {
		t.Errorf("%d devices", n)
	}
}
