package signin

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/waittest"
)

// TestDevices signs one person in on several browsers and a Mac.
func TestDevices(t *testing.T) {
	w := newWorld(t)
	for name, test := range map[string]func(*testing.T, *world){
		"one browser signs another out":   signOneOut,
		"sign-out everywhere":             signOutEverywhere,
		"sign-out everywhere else":        signOutElsewhere,
		"an account deleted from the Mac": deletedFromTheMac,
		"each request from elsewhere":     roaming,
		"a browser that signs in again":   signInAgain,
	} {
		t.Run(name, func(t *testing.T) { test(t, w) })
	}
	t.Run("sign-out everywhere while Kratos is away", func(t *testing.T) { signOutEverywhereAway(t, w) })
}

func signOneOut(t *testing.T, w *world) {
	here, there := w.browser(t), w.browser(t)
	here.signIn("google", "owner@example.test")
	there.signIn("google", "owner@example.test")
	s := here.session()
	there.session()
	var list struct {
		Data []struct {
			ID, Kind string
			Current  bool
		}
	}
	here.decode(here.api(http.MethodGet, "/api/auth/devices", "", bearer(s)...), http.StatusOK, &list)
	if len(list.Data) != 2 {
		t.Fatalf("devices %+v", list.Data)
	}
	for _, d := range list.Data {
		if !d.Current {
			here.api(http.MethodPost, "/api/auth/revoke-device", `{"device_id":"`+d.ID+`"}`, bearer(s)...).is(t, http.StatusNoContent, "revoking")
		}
	}
	there.signedOut()
	if p := there.signIn("google", "owner@example.test"); !p.isBack() {
		t.Errorf("the other browser cannot sign in again: at %s", p.url)
	}
	there.session()
	here.session()
}

// signInAgain: a browser that has signed in afresh is still one device.
func signInAgain(t *testing.T, w *world) {
	here, there := w.browser(t), w.browser(t)
	here.signIn("google", "fresh@example.test")
	there.signIn("google", "fresh@example.test")
	first, mac := here.session(), there.mac()
	devices := func() (ids []string) {
		var list struct{ Data []struct{ ID string } }
		here.decode(here.api(http.MethodGet, "/api/auth/devices", "", bearer(here.session())...), http.StatusOK, &list)
		for _, d := range list.Data {
			ids = append(ids, d.ID)
		}
		return ids
	}
	before := devices()
	if p := here.choose(here.start("google?refresh=true", profile), url.Values{"email": {"fresh@example.test"}}); !p.isBack() {
		t.Fatalf("signing in again ends at %s", p.url)
	}
	after := devices()
	if len(before) != 3 || len(after) != 3 || slices.Equal(slices.Sorted(slices.Values(before)), slices.Sorted(slices.Values(after))) {
		t.Errorf("devices %v, and after a fresh sign-in %v", before, after)
	}
	here.api(http.MethodGet, "/api/auth/devices", "", bearer(first)...).is(t, http.StatusUnauthorized, "the token of before")
	there.session()
	if status := there.refresh(&mac); status != http.StatusOK {
		t.Errorf("the Mac refreshes with %d", status)
	}
}

func signOutEverywhere(t *testing.T, w *world) {
	here, there, unseen := w.browser(t), w.browser(t), w.browser(t)
	for _, b := range []*browser{here, there, unseen} {
		b.signIn("google", "roamer@example.test")
	}
	s, mac := here.session(), there.mac()
	here.api(http.MethodPost, "/api/auth/sign-out", `{"scope":"all"}`, bearer(s)...).is(t, http.StatusNoContent, "sign-out")
	for _, b := range []*browser{here, there, unseen} {
		b.signedOut()
	}
	if status := here.refresh(&mac); status != http.StatusUnauthorized {
		t.Errorf("the Mac still refreshes: %d", status)
	}
	// At once, with the same browsers.
	for _, b := range []*browser{here, unseen} {
		if p := b.signIn("google", "roamer@example.test"); !p.isBack() {
			t.Errorf("cannot sign in again: at %s", p.url)
		}
		b.session()
	}
}

// roaming: a private relay gives each request another address, which no step of a sign-in is bound to.
func roaming(t *testing.T, w *world) {
	b := w.browser(t)
	b.roams = []string{"203.0.113.1", "2001:db8:1::1", "198.51.100.7", "2001:db8:2:3::4"}
	for _, provider := range []string{"google", "apple"} {
		if p := b.signIn(provider, provider+"-relayed@example.test"); !p.isBack() {
			t.Fatalf("%s: ended at %s", provider, p.url)
		}
		mac := b.mac()
		for range 3 {
			if status := b.refresh(&mac); status != http.StatusOK {
				t.Errorf("%s: the Mac refreshes: %d", provider, status)
			}
		}
		var list struct {
			Data []struct {
				IP string `json:"ip_address"`
			}
		}
		b.decode(b.api(http.MethodGet, "/api/auth/devices", "", bearer(mac)...), http.StatusOK, &list)
		for _, d := range list.Data {
			if !slices.Contains(b.roams, d.IP) {
				t.Errorf("%s: a device at %q", provider, d.IP)
			}
		}
		if len(list.Data) != 2 {
			t.Errorf("%s: devices %+v", provider, list.Data)
		}
		b.api(http.MethodPost, "/api/auth/sign-out", `{"scope":"all"}`, bearer(b.session())...).is(t, http.StatusNoContent, "sign-out")
	}
}

// deletedFromTheMac: the app's bearer deletes the account, which signing in takes back.
func deletedFromTheMac(t *testing.T, w *world) {
	b := w.browser(t)
	b.signIn("google", "leaving@example.test")
	s, mac := b.session(), b.mac()
	app := w.browser(t) // without a cookie, as the app
	app.api(http.MethodPost, "/api/auth/delete-account", `{}`, bearer(mac)...).is(t, http.StatusAccepted, "deleting from the Mac")
	b.signedOut()
	for name, of := range map[string]*session{"browser": &s, "Mac": &mac} {
		if status := app.refresh(of); status != http.StatusUnauthorized {
			t.Errorf("the %s still refreshes: %d", name, status)
		}
	}
	if p := b.signIn("google", "leaving@example.test"); !p.isBack() || b.session().User.ID != s.User.ID {
		t.Errorf("the deletion is not taken back: at %s", p.url)
	}
}

func signOutElsewhere(t *testing.T, w *world) {
	here, there, unseen := w.browser(t), w.browser(t), w.browser(t)
	for _, b := range []*browser{here, there, unseen} {
		b.signIn("google", "careful@example.test")
	}
	s, mac := here.session(), there.mac()
	there.api(http.MethodPost, "/api/auth/sign-out", `{"scope":"others"}`, bearer(s)...).is(t, http.StatusUnauthorized, "signing out with another browser's cookie")
	here.api(http.MethodPost, "/api/auth/sign-out", `{"scope":"others"}`, bearer(s)...).is(t, http.StatusNoContent, "sign-out")
	here.session()
	there.signedOut()
	unseen.signedOut()
	if status := here.refresh(&mac); status != http.StatusUnauthorized {
		t.Errorf("the Mac still refreshes: %d", status)
	}
	if p := unseen.signIn("google", "careful@example.test"); !p.isBack() {
		t.Errorf("cannot sign in again: at %s", p.url)
	}
	unseen.session()
	here.session()
}

// signOutEverywhereAway: the sign-out holds without Kratos, and no browser is
// left between the two.
func signOutEverywhereAway(t *testing.T, w *world) {
	here, there, unseen := w.browser(t), w.browser(t), w.browser(t)
	for _, b := range []*browser{here, there, unseen} {
		b.signIn("google", "cautious@example.test")
	}
	s, mac := here.session(), there.mac()
	errtest.None(t, w.kratos.Stop(context.Background()))
	here.api(http.MethodPost, "/api/auth/sign-out", `{"scope":"all"}`, bearer(s)...).is(t, http.StatusServiceUnavailable, "signing out without Kratos")
	if status := here.refresh(&mac); status != http.StatusUnauthorized {
		t.Errorf("the Mac still refreshes: %d", status)
	}
	w.kratos = w.start()
	for _, b := range []*browser{there, unseen} {
		waittest.Eventually(t, "the browser is told that it is signed out", func() bool {
			return b.api(http.MethodGet, "/api/auth/session", "").status == http.StatusUnauthorized
		})
		if p := b.signIn("google", "cautious@example.test"); !p.isBack() {
			t.Errorf("cannot sign in again: at %s", p.url)
		}
		b.session()
	}
}
