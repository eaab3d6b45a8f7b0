package api_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"fledge.dev/gateway"
	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/apitest"
	"fledge.dev/gateway/internal/limits"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
)

// TestAnAudienceBehindOneAddressJoins: 80 people within 20 seconds, by HTTP and at the default limits, with forms
// that ask again after as long as they are told, or as long as they have waited (use-joining.ts).
func TestAnAudienceBehindOneAddressJoins(t *testing.T) {
	cfg, err := config.Load[gateway.Config]([]string{
		"SITE_ORIGIN=http://localhost:8080", "KRATOS_PUBLIC_URL=http://127.0.0.1:4433", "IDENTITY_ADDR=127.0.0.1:1", "BILLING_ADDR=127.0.0.1:1",
		"WAITLIST_ADDR=127.0.0.1:1", "SUPPORT_ADDR=127.0.0.1:1", "RELEASES_ADDR=127.0.0.1:1", "INTERNAL_TOKEN=" + strings.Repeat("t", 32),
	})
	errtest.None(t, err)
	g := apitest.Ready(t, func(c *api.Config) {
		c.Rates[route.General] = limits.Rate{PerMinute: cfg.RateLimitPerMinute, Burst: cfg.RateLimitBurst}
		c.Rates[route.SignUp] = limits.Rate{PerMinute: cfg.SignUpLimitPerMinute, Burst: cfg.SignUpLimitBurst}
	})
	g.Stop()
	type form struct {
		person       int
		next, waited time.Duration
	}
	var waiting []form
	for i := range 80 {
		waiting = append(waiting, form{person: i, next: time.Duration(i) * 20 * time.Second / 80})
	}
	waits := 0
	for passed := time.Duration(0); passed <= 2*time.Minute && len(waiting) > 0; passed += 50 * time.Millisecond {
		var still []form
		for _, f := range waiting {
			if f.next <= passed {
				body := fmt.Sprintf(`{"email":"guest-%d@example.com","source":"hero_section"}`, f.person)
				answer := g.Post("/api/add-waitlist-user", body, apitest.From("203.0.113.7"))
				if answer.Status == http.StatusOK {
					continue
				}
				seconds, err := strconv.Atoi(answer.Header.Get("Retry-After"))
				if answer.Status != http.StatusTooManyRequests || err != nil || seconds < 1 {
					t.Fatalf("answered %d, Retry-After %q: the form does not ask again", answer.Status, answer.Header.Get("Retry-After"))
				}
				wait := max(time.Duration(seconds)*time.Second, f.waited)
				f.next, f.waited = passed+wait, f.waited+wait
				if waits++; f.waited > time.Minute {
					t.Fatal("somebody has to type again")
				}
			}
			still = append(still, f)
		}
		waiting = still
		g.Later(50 * time.Millisecond)
	}
	if len(waiting) > 0 || g.Waitlist.Count() != 80 || waits == 0 {
		t.Errorf("%d people are not on the list after two minutes; %d sign-ups, %d forms had to wait", len(waiting), g.Waitlist.Count(), waits)
	}
}
