package identity_test

import (
	"slices"
	"strings"
	"testing"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/errtest"
)

const (
	chromeOnMac      = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36"
	laterChromeOnMac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.1.2 Safari/537.36"
	safariOnIPhone   = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1"
	invented         = "<b>Call 555 0100</b>/1.0"
)

func (r *rig) signInOn(userAgent string) *identityv1.Session {
	r.t.Helper()
	return r.signInFrom("203.0.113.7", userAgent)
}

func (r *rig) signInFrom(ip, userAgent string) *identityv1.Session {
	r.t.Helper()
	resp, err := r.CreateSession(r.t.Context(), &identityv1.CreateSessionRequest{
		Cookie: r.kratos.signIn("ann@example.com", true), UserAgent: userAgent, IpAddress: ip,
	})
	errtest.None(r.t, err)
	return resp.GetSession()
}

// deviceEmails are the texts of the emails about new devices, the oldest first.
func (r *rig) deviceEmails() []string {
	r.t.Helper()
	rows, err := r.db.Query(r.t.Context(),
		"SELECT args->'message'->>'Text' FROM mail.river_job WHERE args->>'key' LIKE 'new-device/%' AND args->'message'->>'To' = 'ann@example.com' ORDER BY id")
	errtest.None(r.t, err)
	defer rows.Close()
	var texts []string
	for rows.Next() {
		var text string
		errtest.None(r.t, rows.Scan(&text))
		texts = append(texts, strings.Join(strings.Fields(text), " "))
	}
	return texts
}

func TestOwnersAreToldOfNewDevices(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.session(r.kratos.signIn("joann@example.com", true))
	first := r.signInOn(chromeOnMac)
	if told := r.deviceEmails(); len(told) != 0 {
		t.Errorf("told of the browser in which the account began: %q", told)
	}
	r.signInFrom("198.51.100.7", safariOnIPhone) // whoever is quick is no part of the sign-up
	r.signInOn(laterChromeOnMac)
	if told := r.deviceEmails(); len(told) != 1 || !strings.Contains(told[0], "Safari on iPhone or iPad, on ") || !strings.Contains(told[0], "198.51.100.7") {
		t.Fatalf("of a second browser within the account's first hour: %q", told)
	}
	if _, err := r.db.Exec(t.Context(), "UPDATE users SET created_at = created_at - interval '2 hours'"); err != nil {
		t.Fatal(err)
	}
	r.mac(first)
	r.mac(first)            // the same Mac again
	r.signInOn(chromeOnMac) // the same browser again
	r.signInOn(safariOnIPhone)
	r.signInOn(laterChromeOnMac) // an update is no other browser
	r.signInOn(invented)

	told := r.deviceEmails()[1:]
	for i, want := range []string{"Ann's MacBook, on ", "Safari on iPhone or iPad, on ", "Browser, on "} {
		if i >= len(told) || !strings.Contains(told[i], want) || !strings.Contains(told[i], "/profile#devices") {
			t.Errorf("email %d does not say %q: %q", i+1, want, told)
		}
	}
	if len(told) != 3 {
		t.Errorf("%d emails: %q", len(told), told)
	}
	if slices.ContainsFunc(told, func(text string) bool { return strings.Contains(text, "555") }) {
		t.Errorf("an email repeats what a device invented: %q", told)
	}
	if len(told) > 1 && !strings.Contains(told[1], "203.0.113.7") {
		t.Errorf("the email does not say from where: %q", told[1])
	}
}

// TestOwnersAreToldOfKnownDevicesElsewhere: whoever has stolen a password has a common browser, too, but
// hardly in the owner's network.
func TestOwnersAreToldOfKnownDevicesElsewhere(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.signInOn(chromeOnMac)
	if _, err := r.db.Exec(t.Context(), "UPDATE users SET created_at = created_at - interval '2 hours'"); err != nil {
		t.Fatal(err)
	}
	for _, signIn := range []struct {
		from string
		told int
	}{
		{"203.0.113.7", 0}, {"203.0.113.250", 0}, {"::ffff:203.0.113.9", 0}, {"", 0},
		{"203.0.114.7", 1}, {"203.0.114.8", 1}, {"2001:db8:1:2::1", 2}, {"2001:db8:1:ffff::1", 2}, {"2001:db8:2:2::1", 3},
	} {
		r.signInFrom(signIn.from, laterChromeOnMac)
		if told := r.deviceEmails(); len(told) != signIn.told {
			t.Errorf("after one from %q, %d emails, want %d: %q", signIn.from, len(told), signIn.told, told)
		}
	}
}
