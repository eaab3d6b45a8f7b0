package stack_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/local/ready"
	"fledge.dev/deploy/local/stack"
	"fledge.dev/deploy/test/harness/stacktest"
	"fledge.dev/services"
	"fledge.dev/services/platform/errtest"
)

func TestTheProductStandsInBothForms(t *testing.T) {
	for _, form := range []stack.Form{stack.InProcess, stack.Processes} {
		t.Run(form.String(), func(t *testing.T) {
			opts := stacktest.Options(t, form)
			s := stacktest.Start(t, opts)
			visitor := person.New(s.URLs().Site)
			var health struct {
				Status   string            `json:"status"`
				Services map[string]string `json:"services"`
			}
			errtest.None(t, visitor.Call(t.Context(), http.MethodGet, "/api/health", nil, &health))
			for _, name := range append(services.Names(), "kratos", "postgres", "nats") {
				if health.Services[name] != "ok" {
					t.Errorf("%s is %q", name, health.Services[name])
				}
			}

			tester := person.New(s.URLs().Site)
			errtest.None(t, tester.SignIn(t.Context(), stack.TesterEmail))
			var status struct {
				Status string `json:"status"`
			}
			if err := tester.Call(t.Context(), http.MethodGet, "/api/get-waitlist-status", nil, &status); err != nil || status.Status != "approved" {
				t.Errorf("the tester is %q, %v", status.Status, err)
			}
			var denied *person.APIError
			err := tester.Call(t.Context(), http.MethodGet, "/api/get-waitlist-users", nil, nil)
			if !errors.As(err, &denied) || denied.Status != http.StatusForbidden {
				t.Errorf("the tester reads the admin's list: %v", err)
			}

			errtest.None(t, stacktest.Buy(t.Context(), tester, s.URLs().Site, s.URLs().Stripe))
			hasCredits(t, s.URLs().Site, stack.TesterEmail, 50)
			keepsToItsRights(t, opts)
			rolesAreWalledOff(t, s)
		})
	}
}

// TestAStackStopsAndStartsAgain with its data, its site stands without its services, and a part
// that ends by itself is told of.
func TestAStackStopsAndStartsAgain(t *testing.T) {
	opts := stacktest.Options(t, stack.InProcess)
	first, err := stack.Start(t.Context(), opts)
	errtest.None(t, err)
	visitor := person.New(first.URLs().Site)
	join := map[string]string{"email": "kept@fledge.test", "source": "hero_section"}
	errtest.None(t, visitor.Call(t.Context(), http.MethodPost, "/api/add-waitlist-user", join, nil))
	errtest.None(t, first.Stop(t.Context()))
	for _, address := range []string{first.URLs().Site, first.URLs().Mail, first.URLs().GitHub, first.URLs().Providers, first.URLs().Stripe, first.GatewayURL()} {
		if err := person.New(address).Call(t.Context(), http.MethodGet, "/", nil, nil); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%s after the stop: %v", address, err)
		}
	}

	second := stacktest.Start(t, opts)
	if n := count(t, database(t, second, "waitlist"), "SELECT count(*) FROM waitlist_users WHERE email = 'kept@fledge.test'"); n != 1 {
		t.Errorf("%d entries after a restart", n)
	}

	siteStandsAlone(t, second)
	errtest.None(t, second.Crash("kratos"))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := second.Wait(ctx); err == nil || !strings.Contains(err.Error(), "kratos ended by itself") {
		t.Errorf("after a part has ended: %v", err)
	}
}

// siteStandsAlone stops the services.
func siteStandsAlone(t *testing.T, s *stack.Stack) {
	t.Helper()
	errtest.None(t, s.StopServices(t.Context()))
	visitor := person.New(s.URLs().Site)
	if err := ready.HTTP(t.Context(), s.URLs().Site+"/", http.StatusOK, nil, 5*time.Second); err != nil {
		t.Errorf("landing page: %v", err)
	}
	var problem *person.APIError
	err := visitor.Call(t.Context(), http.MethodPost, "/api/add-waitlist-user", map[string]string{"email": "x@fledge.test", "source": "hero_section"}, nil)
	if !errors.As(err, &problem) || problem.Status != http.StatusServiceUnavailable || problem.Message == "" {
		t.Errorf("sign-up: %v", err)
	}
}
