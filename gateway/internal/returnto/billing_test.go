package returnto_test

import (
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/returnto"
	"fledge.dev/services/platform/errtest"
)

const origin = "https://fledge.example"

// billingCorpus is what Stripe may and may not send a browser back to, on origin.
type billingCorpus struct{ Checkout, Portal verdicts }

func loadBilling(t testing.TB) (c billingCorpus) {
	t.Helper()
	raw, err := os.ReadFile("testdata/billing.json")
	errtest.None(t, err)
	errtest.None(t, json.Unmarshal(raw, &c))
	return c
}

func TestReturnsFromStripe(t *testing.T) {
	c := loadBilling(t)
	for name, tt := range map[string]struct {
		verdicts
		allows func(origin, address string) bool
	}{
		"checkout": {c.Checkout, returnto.Checkout},
		"portal":   {c.Portal, returnto.Portal},
	} {
		if len(tt.Accepted) < 4 || len(tt.Refused) < 120 {
			t.Errorf("%s: %d accepted and %d refused", name, len(tt.Accepted), len(tt.Refused))
		}
		for _, address := range tt.Accepted {
			if !tt.allows(origin, address) {
				t.Errorf("%s: %q is refused", name, address)
			}
			for _, other := range []string{"", "https://other.example", "http://fledge.example", origin + ":8443", "https://fledge.exampl"} {
				if tt.allows(other, address) {
					t.Errorf("%s: %q is accepted on %q", name, address, other)
				}
			}
		}
		for _, address := range tt.Refused {
			if tt.allows(origin, address) {
				t.Errorf("%s: %q is accepted", name, address)
			}
		}
	}
}

// FuzzReturnsFromStripe holds what passes against how a browser would read it.
func FuzzReturnsFromStripe(f *testing.F) {
	c := loadBilling(f)
	for _, address := range slices.Concat(c.Checkout.Accepted, c.Checkout.Refused, c.Portal.Accepted, c.Portal.Refused) {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		checkout, portal := returnto.Checkout(origin, address), returnto.Portal(origin, address)
		if !checkout && !portal {
			return
		}
		u, err := url.Parse(address)
		if err != nil || u.Scheme+"://"+u.Host != origin || u.User != nil || u.Fragment != "" || u.Path != "/profile" || u.RawPath != "" || len(address) > returnto.MaxBytes {
			t.Fatalf("%q leads to %v: %v", address, u, err)
		}
		names := []string{"portal"}
		if checkout {
			names = []string{"success", "plan", "tokens", "price", "interval", "pack", "session_id", "canceled"}
		}
		for name, values := range u.Query() {
			braces := strings.ContainsAny(values[0], "{}") && (name != "session_id" || values[0] != returnto.CheckoutSession)
			if len(values) != 1 || !slices.Contains(names, name) || braces || strings.ContainsAny(values[0], "\r\n\x00") {
				t.Fatalf("%q carries %s=%q", address, name, values)
			}
		}
	})
}
