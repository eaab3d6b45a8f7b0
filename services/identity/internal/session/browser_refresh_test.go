package session_test

import (
	"errors"
	"testing"
	"time"

	"fledge.dev/services/identity/internal/session"
	"fledge.dev/services/platform/fault"
)

// TestABrowsersTokenIsWorthNothingWithoutItsCookie, and whoever tries it ends nothing.
func TestABrowsersTokenIsWorthNothingWithoutItsCookie(t *testing.T) {
	r := newRig(t)
	cookie, other := r.signIn("ann@example.com"), r.signIn("ann@example.com")
	stolen := r.create(cookie)
	r.create(other)
	for name, thiefs := range map[string]string{"none": "", "another browser of the account's": other, "nobody's": "x"} {
		_, err := r.Service.Refresh(t.Context(), stolen.RefreshToken, thiefs, session.Device{})
		if !errors.Is(err, session.ErrSpent) {
			t.Errorf("cookie %s: %v", name, err)
		}
	}
	if again := r.create(cookie); again.RefreshToken != stolen.RefreshToken {
		t.Error("the browser lost its session")
	}
	if _, err := r.Service.Refresh(t.Context(), stolen.RefreshToken, cookie, session.Device{}); err != nil {
		t.Errorf("with its cookie: %v", err)
	}
}

func TestAMacRefreshesWithoutKratos(t *testing.T) {
	r := newRig(t)
	mac := r.mac(r.create(r.signIn("ann@example.com")))
	r.kratos.setDown(fault.New(fault.Unavailable, "kratos_unavailable", "down"))
	r.refresh(mac.RefreshToken)
}

// TestADeviceIsWhereItWasLastUsed: a copy of its session shows in the list.
func TestADeviceIsWhereItWasLastUsed(t *testing.T) {
	r := newRig(t)
	cookie := r.signIn("ann@example.com")
	browser := r.create(cookie)
	mac := r.mac(browser)
	r.clock.Advance(time.Minute)
	elsewhere := session.Device{UserAgent: "elsewhere", IPAddress: "203.0.113.9"}
	if _, err := r.Create(t.Context(), cookie, elsewhere); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Service.Refresh(t.Context(), mac.RefreshToken, "", session.Device{IPAddress: "203.0.113.9"}); err != nil {
		t.Fatal(err)
	}
	for _, f := range r.devices(browser) {
		want := elsewhere
		if f.Kind() == session.Mac { // it did not say what it is, so it is what it was
			want = session.Device{Name: "Ann's MacBook", UserAgent: "Fledge/1.0", IPAddress: "203.0.113.9"}
		}
		if f.Device != want {
			t.Errorf("%s: %+v, want %+v", f.Kind(), f.Device, want)
		}
	}
}
