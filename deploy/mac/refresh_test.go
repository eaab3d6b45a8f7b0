package mac_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fledge.dev/deploy/mac"
	"fledge.dev/services/platform/errtest"
)

// pass lets time go by in a bubble.
func pass(d time.Duration) { <-time.After(d) }

func TestATokenIsReplacedAtNinetySeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fakeSite{}
		c := client(t, site)
		signIn(t, c)
		pass(600*time.Second - 91*time.Second)
		if token, err := c.AccessToken(t.Context()); err != nil || string(token) != "ACCESS-1" {
			t.Errorf("91 s before the end: %s, %v", string(token), err)
		}
		pass(time.Second)
		if token, err := c.AccessToken(t.Context()); err != nil || string(token) != "ACCESS-2" {
			t.Errorf("90 s before the end: %s, %v", string(token), err)
		}
	})
}

func TestOneOfManyRefreshes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fakeSite{}
		dir := t.TempDir()
		signIn(t, clientIn(t, site, dir))
		pass(10 * time.Minute)
		site.takes = 300 * time.Millisecond
		var wg sync.WaitGroup
		for n := range 20 {
			wg.Go(func() {
				// Every fifth is a process of its own.
				c := clientIn(t, site, dir)
				ask := func() (mac.Secret, error) { return c.AccessToken(t.Context()) }
				if n%5 == 0 {
					ask = func() (mac.Secret, error) { return "ACCESS-2", c.Refresh(t.Context()) }
				}
				if token, err := ask(); err != nil || string(token) != "ACCESS-2" {
					t.Errorf("%d: %s, %v", n, string(token), err)
				}
			})
		}
		wg.Wait()
		if n := site.times("refresh_token"); n != 1 {
			t.Errorf("%d refreshes", n)
		}
	})
}

func TestALostAnswerIsAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fakeSite{lose: func(n int) bool { return n == 1 || n == 2 || n == 3 }}
		c := client(t, site)
		signIn(t, c)
		began := time.Now()
		errtest.None(t, c.Refresh(t.Context()))
		if took := time.Since(began); took != 1400*time.Millisecond { // 200 + 400 + 800
			t.Errorf("took %s", took)
		}
		kept, err := c.Credentials()
		if err != nil || string(kept.RefreshToken) != site.leaf || site.n != 2 {
			t.Errorf("kept %s of %d, %v", string(kept.RefreshToken), site.n, err)
		}
	})
}

func TestTheRepeatsEndBeforeTheSiteTakesThemForTheft(t *testing.T) {
	for name, site := range map[string]*fakeSite{
		"refused at once":  {lose: func(n int) bool { return n > 0 }},
		"nothing answers":  {},
		"the site is down": {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := client(t, site)
				signIn(t, c)
				switch name {
				case "nothing answers":
					site.takes = time.Hour
				case "the site is down":
					site.status = 503
				}
				began := time.Now()
				var problem *mac.Problem
				if err := c.Refresh(t.Context()); !errors.Is(err, mac.ErrUnreachable) && (!errors.As(err, &problem) || problem.Status != 503) {
					t.Errorf("got %v", err)
				}
				if took := time.Since(began); took > 8*time.Second {
					t.Errorf("went on for %s", took)
				}
				if kept, err := c.Credentials(); err != nil || string(kept.RefreshToken) != "REFRESH-1" {
					t.Errorf("a site that is down signed the Mac out: %v", err)
				}
				site.takes, site.status = 0, 0
			})
		})
	}
}

func TestARefusalOtherThanSignedOutIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fakeSite{}
		c := client(t, site)
		signIn(t, c)
		before := len(site.requests)
		// A 401 with another code, or a portal's without one, is no word about the session.
		for n, status := range []int{429, 401} {
			site.status = status
			var problem *mac.Problem
			if err := c.Refresh(t.Context()); !errors.As(err, &problem) || problem.Status != status || len(site.requests) != before+n+1 {
				t.Errorf("%v after %d requests", err, len(site.requests)-before)
			}
			if _, err := c.Credentials(); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestAnEndedSessionIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fakeSite{}
		c := client(t, site)
		signIn(t, c)
		site.leaf = "" // somebody removed the device
		err := c.Refresh(t.Context())
		if !errors.Is(err, mac.ErrSignedOut) || !strings.Contains(err.Error(), "sign in again") || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v", err)
		}
		if _, err := c.Credentials(); !errors.Is(err, mac.ErrSignedOut) {
			t.Errorf("kept: %v", err)
		}
		if err := c.Refresh(t.Context()); !errors.Is(err, mac.ErrSignedOut) || site.times("refresh_token") != 1 {
			t.Errorf("asked again: %v", err)
		}
	})
}

func TestAnAccessTokenThatIsRefusedIsReplacedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &fakeSite{}
		c := client(t, site)
		signIn(t, c)
		site.access = "another" // keys were replaced in an emergency
		if who, err := c.WhoAmI(t.Context()); err != nil || who.Email != "ann@fledge.test" || site.times("refresh_token") != 1 {
			t.Errorf("%+v, %v", who, err)
		}
	})
}
