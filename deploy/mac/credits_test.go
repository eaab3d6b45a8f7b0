package mac_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"fledge.dev/deploy/mac"
	"fledge.dev/services/platform/errtest"
)

// bank is a site with credits: a key is acted on once.
type bank struct {
	fakeSite
	mu     sync.Mutex
	acted  map[string]string // by key, what was asked for
	tries  int
	lost   int // how many answers get lost from now on, after the site has acted
	refuse int // answers this before it acts, unless 0
	works  time.Duration
}

func (b *bank) RoundTrip(req *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(req.URL.Path, "-credits") {
		return b.fakeSite.RoundTrip(req)
	}
	pass(b.works)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tries++
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	var in struct {
		Key string `json:"idempotencyKey"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	if b.refuse != 0 {
		return answer(b.refuse, map[string]string{"error": "No.", "code": "no"})
	}
	if b.acted == nil {
		b.acted = map[string]string{}
	}
	b.acted[in.Key] = strings.Replace(string(body), `"`+in.Key+`"`, `"KEY"`, 1)
	if b.lost > 0 {
		b.lost--
		return nil, errors.New("connection reset")
	}
	return answer(200, json.RawMessage(`{"id":"e1","holdId":"h1","expires_at":"2026-01-02T03:04:05Z",
		"credits":{"granted":50,"used":0.29,"held":0,"balance":49.71,"period_end":null}}`))
}

// spent is what the site has acted on, in any order.
func (b *bank) spent() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []string
	for _, what := range b.acted {
		all = append(all, what)
	}
	return all
}

func TestAmountsAreExact(t *testing.T) {
	for text, want := range map[string]string{
		"0.29": "0.29", "5": "5.00", "0.3": "0.30", "100000": "100000.00", "1.15": "1.15", "0": "0.00", "007": "7.00",
		"": "", "-1": "", "+1": "", "1.": "", ".5": "", "0.001": "", "1e3": "", "1,5": "", "NaN": "", " 1": "", "9999999999999": "", "١": "",
	} {
		got, err := mac.ParseAmount(text)
		if (err == nil) != (want != "") || err == nil && got.String() != want {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
	var back struct{ A, B mac.Amount }
	if err := json.Unmarshal([]byte(`{"A":49.7,"B":50}`), &back); err != nil || back.A != 4970 || back.B != 5000 {
		t.Errorf("%+v, %v", back, err)
	}
}

func TestALostAnswerSpendsOnce(t *testing.T) {
	for _, lost := range []int{0, 1, 4} {
		synctest.Test(t, func(t *testing.T) {
			site := &bank{lost: lost}
			c := client(t, site)
			signIn(t, c)
			credits, err := c.Spend(t.Context(), 29, "Generated screen")
			if err != nil || credits.Balance != 4971 {
				t.Fatalf("%+v, %v", credits, err)
			}
			want := `[{"amount":0.29,"description":"Generated screen","idempotencyKey":"KEY"}]`
			if got := fmt.Sprint(site.spent()); got != want || site.tries != lost+1 {
				t.Errorf("%d lost: %s after %d tries", lost, got, site.tries)
			}
			if _, err := c.Spend(t.Context(), 29, "Generated screen"); err != nil || len(site.spent()) != 2 {
				t.Errorf("the next one of the same kind: %v, %v", site.spent(), err)
			}
		})
	}
}

// TestASpendWhoseAnswersAllGotLostIsFinishedByTheSameAgain, in another process
// of the app, too: nothing of it is in memory.
func TestASpendWhoseAnswersAllGotLostIsFinishedByTheSameAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site, dir := &bank{lost: 5}, t.TempDir()
		c := clientIn(t, site, dir)
		signIn(t, c)
		began := time.Now()
		if _, err := c.Spend(t.Context(), 29, "screen"); !errors.Is(err, mac.ErrUnsure) || !errors.Is(err, mac.ErrUnreachable) {
			t.Fatalf("got %v", err)
		}
		if took := time.Since(began); site.tries != 5 || took != 3*time.Second {
			t.Errorf("%d tries in %s", site.tries, took)
		}
		c = clientIn(t, site, dir)
		if _, err := c.Spend(t.Context(), 30, "screen"); err == nil || !strings.Contains(err.Error(), `0.29 credits for "screen"`) {
			t.Errorf("another one before that: %v", err)
		}
		if _, err := c.Hold(t.Context(), 29, "screen"); err == nil {
			t.Error("a hold before that")
		}
		// Refusals that say nothing of the key leave it open.
		site.refuse = http.StatusTooManyRequests
		if _, err := c.Spend(t.Context(), 29, "screen"); !errors.Is(err, mac.ErrUnsure) {
			t.Errorf("got %v", err)
		}
		site.refuse = 0
		if _, err := c.Spend(t.Context(), 29, "screen"); err != nil || len(site.spent()) != 1 {
			t.Errorf("spent %v, %v", site.spent(), err)
		}
		if _, err := c.Hold(t.Context(), 500, "app"); err != nil {
			t.Errorf("after it: %v", err)
		}
	})
}

func TestARefusedSpendIsOver(t *testing.T) {
	for _, status := range []int{http.StatusConflict, http.StatusBadRequest, http.StatusForbidden, http.StatusTooManyRequests} {
		site := &bank{refuse: status}
		c := client(t, site)
		signIn(t, c)
		var problem *mac.Problem
		if _, err := c.Spend(t.Context(), 6000, "too much"); !errors.As(err, &problem) || problem.Status != status || errors.Is(err, mac.ErrUnsure) {
			t.Errorf("got %v", err)
		}
		site.refuse = 0
		if _, err := c.Spend(t.Context(), 1, "less"); err != nil || site.tries != 2 {
			t.Errorf("after it: %v, %d tries", err, site.tries)
		}
	}
}

func TestAnothersUnfinishedSpendIsNotTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &bank{lost: 5}
		c := client(t, site)
		signIn(t, c)
		if _, err := c.Spend(t.Context(), 29, "screen"); !errors.Is(err, mac.ErrUnsure) {
			t.Fatal(err)
		}
		errtest.None(t, c.SignOut(t.Context()))
		old := user["id"]
		user["id"] = "u2"
		defer func() { user["id"] = old }()
		signIn(t, c)
		if _, err := c.Spend(t.Context(), 29, "screen"); err != nil || len(site.spent()) != 2 {
			t.Errorf("spent %v, %v", site.spent(), err)
		}
	})
}

// TestTwoOfTheSameAtOnceAreTwo: the second does not take the first for its own.
func TestTwoOfTheSameAtOnceAreTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site, dir := &bank{works: time.Second}, t.TempDir()
		signIn(t, clientIn(t, site, dir))
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if _, err := clientIn(t, site, dir).Spend(t.Context(), 29, "screen"); err != nil {
					t.Error(err)
				}
			})
			pass(site.works / 10) // this one is at it
		}
		all.Wait()
		if len(site.spent()) != 3 {
			t.Errorf("spent %v", site.spent())
		}
	})
}

func TestAHoldIsSettledWithWhatItCostAlsoWhenThatIsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := &bank{}
		c := client(t, site)
		signIn(t, c)
		hold, err := c.Hold(t.Context(), 500, "app")
		if err != nil || hold.ID != "h1" || hold.ExpiresAt.IsZero() {
			t.Fatalf("%+v, %v", hold, err)
		}
		site.lost = 1
		site.acted = nil
		if _, err := c.Settle(t.Context(), hold.ID, 0); err != nil || site.tries != 3 || fmt.Sprint(site.spent()) != `[{"holdId":"h1","amount":0.00}]` {
			t.Errorf("%v, %d tries, %v", site.spent(), site.tries, err)
		}
	})
}

// changeover is a site of which a call to path is on its way while another account signs in on this Mac. It answers
// that call with status, or not at all if that is 0, and every later one as ever.
type changeover struct {
	bank
	path      string
	status    int
	meanwhile func()
	asked     []string // whom the calls to path spoke for
}

func (s *changeover) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path != s.path {
		return s.bank.RoundTrip(req)
	}
	s.asked = append(s.asked, req.Header.Get("Authorization"))
	if len(s.asked) > 1 {
		return s.bank.RoundTrip(req)
	}
	s.meanwhile()
	if s.status == 0 {
		return nil, errors.New("connection reset")
	}
	return answer(s.status, map[string]string{"code": "invalid_token"})
}

// signInAsAnother has another account sign in, and those of before come back at the end of the test.
func signInAsAnother(t *testing.T, c *mac.Client) {
	t.Helper()
	old := user["id"]
	user["id"] = "u2"
	t.Cleanup(func() { user["id"] = old })
	signIn(t, c)
}

// TestNothingIsDoneInTheNameOfWhoSignedInMeanwhile: a call that has to be repeated ends instead, and a sign-out ends the
// session that it was asked to end.
func TestNothingIsDoneInTheNameOfWhoSignedInMeanwhile(t *testing.T) {
	report := func(c *mac.Client, ctx context.Context) error {
		_, err := c.Report(ctx, mac.Report{Category: "bug", Message: "It is broken."})
		return err
	}
	spend := func(c *mac.Client, ctx context.Context) error { _, err := c.Spend(ctx, 29, "screen"); return err }
	settle := func(c *mac.Client, ctx context.Context) error { _, err := c.Settle(ctx, "h1", 29); return err }
	whoAmI := func(c *mac.Client, ctx context.Context) error { _, err := c.WhoAmI(ctx); return err }
	const once, renewed = "[Bearer ACCESS-1]", "[Bearer ACCESS-1 Bearer FORMER-ACCESS]"
	const andReplaced = "[Bearer ACCESS-1 Bearer ACCESS-1]" // the new session's sign-in ends the one before it
	for name, tc := range map[string]struct {
		call   func(*mac.Client, context.Context) error
		path   string
		status int
		err    error
		asked  string
	}{
		"a spend that is refused":               {spend, "/api/consume-credits", 401, mac.ErrAnotherAccount, once},
		"a spend whose answer gets lost":        {spend, "/api/consume-credits", 0, mac.ErrUnsure, once},
		"a settlement whose answer gets lost":   {settle, "/api/settle-credits", 0, mac.ErrAnotherAccount, once},
		"a report that is refused":              {report, "/api/create-support-ticket", 401, mac.ErrAnotherAccount, once},
		"a report whose answer gets lost":       {report, "/api/create-support-ticket", 0, mac.ErrAnotherAccount, once},
		"a question that is refused":            {whoAmI, "/api/auth/user", 401, mac.ErrAnotherAccount, once},
		"a sign-out that is refused":            {(*mac.Client).SignOut, "/api/auth/sign-out", 401, nil, renewed},
		"a sign-out":                            {(*mac.Client).SignOut, "/api/auth/sign-out", 204, nil, once},
		"a sign-out everywhere that is refused": {(*mac.Client).SignOutEverywhere, "/api/auth/sign-out", 401, mac.ErrAnotherAccount, andReplaced},
		"a sign-out everywhere":                 {(*mac.Client).SignOutEverywhere, "/api/auth/sign-out", 204, nil, andReplaced},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				site := &changeover{path: tc.path, status: tc.status}
				c := client(t, site)
				signIn(t, c)
				site.meanwhile = func() { signInAsAnother(t, c) }
				if err := tc.call(c, t.Context()); !errors.Is(err, tc.err) {
					t.Errorf("got %v", err)
				}
				if got := fmt.Sprint(site.asked); got != tc.asked {
					t.Errorf("asked as %s", got)
				}
				if kept, err := c.Credentials(); err != nil || kept.User.ID != "u2" || string(kept.AccessToken) != "ACCESS-2" {
					t.Errorf("kept %+v, %v", kept.User, err)
				}
			})
		})
	}
}

// TestAnOrderThatWaitsOverwritesNoneOfAnother who has signed in when it is its turn.
func TestAnOrderThatWaitsOverwritesNoneOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site, dir := &bank{}, t.TempDir()
		c := clientIn(t, site, dir)
		signIn(t, c)
		turn, err := os.Create(filepath.Join(dir, "order.lock"))
		errtest.None(t, errors.Join(err, syscall.Flock(int(turn.Fd()), syscall.LOCK_EX)))
		waits := make(chan error)
		go func() { _, err := c.Spend(t.Context(), 29, "screen"); waits <- err }()
		pass(time.Second)
		signInAsAnother(t, c)
		order, theirs := filepath.Join(dir, "order.json"), `{"user":"u2","idempotencyKey":"k"}`
		errtest.None(t, errors.Join(os.WriteFile(order, []byte(theirs), 0o600), turn.Close()))
		if err := <-waits; !errors.Is(err, mac.ErrAnotherAccount) || site.tries != 0 {
			t.Errorf("%v after %d tries", err, site.tries)
		}
		if left, err := os.ReadFile(order); err != nil || string(left) != theirs {
			t.Errorf("left %s, %v", left, err)
		}
	})
}
