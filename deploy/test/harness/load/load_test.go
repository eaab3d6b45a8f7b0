package load_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"fledge.dev/deploy/local/person"
	"fledge.dev/deploy/test/harness/load"
	"fledge.dev/services/platform/errtest"
)

// site answers the n-th "/api/n" by its last digit, over connections that it closes at times.
func site(t *testing.T) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path[len(r.URL.Path)-1] {
		case '1':
			w.WriteHeader(http.StatusServiceUnavailable)
		case '2':
			w.WriteHeader(http.StatusInternalServerError)
		case '3':
			w.Header().Set("Connection", "close")
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func TestAnswersAreToldApart(t *testing.T) {
	server := site(t)
	who := person.NewThrough(server.URL, load.ByWayOf(server.Listener.Addr().String()))
	var paths []string
	var reads []load.Mix
	for n := range 4 {
		paths = append(paths, fmt.Sprintf("/api/%d", n))
		reads = append(reads, load.Read(who, paths[n]))
	}
	wire := load.Direct(server.Listener.Addr().String(), server.URL).SignUpsAndReads(who, paths...)
	for name, mix := range map[string]load.Mix{"by net/http": load.Deck(reads...), "by wire": func(n int) load.Request { return wire(2*n + 1) }} {
		g := &load.Generator{Ledger: load.NewLedger(), Mix: func(n int) load.Request {
			r := mix(n)
			r.Name, r.Key = "read", fmt.Sprint(n)
			return r
		}}
		acked := 0
		for _, rate := range []float64{0, 400} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			got := g.Run(ctx, "some", rate, 4)
			cancel()
			all := got.Sent()
			if all < 20 || got.Good.Answers < all/2-4 || got.Refused.Answers < all/4-4 || got.Wrong < all/4-4 || got.Wrong > all/4+4 || got.Silent > 0 {
				t.Errorf("%s at %.0f a second: %s", name, rate, got)
			}
			if rate > 0 && float64(all+got.Skipped) > 1.2*rate*got.Took.Seconds() {
				t.Errorf("%d were sent in %s", all, got.Took)
			}
			if got.Failed["read"] != got.Refused.Answers+got.Wrong || len(got.Amiss) == 0 || got.Sound() {
				t.Errorf("%s: %v", got, got.Amiss)
			}
			acked += got.Good.Answers
		}
		if n := g.Ledger.Acked("read").Len(); n != acked || g.Ledger.Tried("read").Len() < 2*n-8 {
			t.Errorf("%d are acknowledged, %d were", n, acked)
		}
	}
}

// TestWhoWaitsTooLongHasNoAnswer, and a busy sender skips what is due.
func TestWhoWaitsTooLongHasNoAnswer(t *testing.T) {
	g := &load.Generator{Ledger: load.NewLedger(), Timeout: time.Millisecond, Mix: func(int) load.Request {
		return load.Request{Name: "wait", Do: func(ctx context.Context) error { <-ctx.Done(); <-time.After(20 * time.Millisecond); return ctx.Err() }}
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if got := g.Run(ctx, "slow", 1000, 2); got.Silent != got.Sent() || got.Silent < 2 || got.Skipped < 10 || got.Sound() {
		t.Errorf("%s", got)
	}
}

// TestWhatMayBeRepeatedIs until the answer is final.
func TestWhatMayBeRepeatedIs(t *testing.T) {
	for status, want := range map[int]int{http.StatusServiceUnavailable: 3, http.StatusInternalServerError: 3, http.StatusConflict: 1} {
		tries := 0
		g := &load.Generator{Ledger: load.NewLedger(), Mix: func(int) load.Request {
			return load.Request{Name: "write", Key: "a", RepeatFor: time.Minute, Do: func(context.Context) error {
				if tries++; tries < 3 {
					return &person.APIError{Status: status}
				}
				return nil
			}}
		}}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		got := g.Run(ctx, "again", 4, 1)
		cancel()
		if got.Sent() != want || g.Ledger.Tried("write").Len() != 1 || g.Ledger.Acked("write").Len() != want/3 {
			t.Errorf("%d: %s", status, got)
		}
	}
}

// seen is what a site was asked, with the status of what is not there.
type seen struct {
	sync.Mutex
	asked []string
}

func (s *seen) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	s.asked = append(s.asked, r.URL.Path)
	switch {
	case r.URL.Path == "/profile":
		_, _ = io.WriteString(w, `<link rel="stylesheet" href="/_next/static/chunks/a.css"><script src="/_next/static/chunks/a.js"></script>`+
			`<script src="/_next/static/chunks/gone.js"></script><script src="/_next/static/chunks/a.js"></script><a href="/blog"></a>`)
	case strings.HasSuffix(r.URL.Path, "gone.js"):
		http.NotFound(w, r)
	case r.URL.Path == "/api/auth/session":
		_, _ = io.WriteString(w, `{"access_token":"secret"}`)
	case r.URL.Path == "/api/secret" && r.Header.Get("Authorization") != "Bearer secret":
		http.Error(w, "no admin", http.StatusUnauthorized)
	case r.Method == http.MethodPost && r.Header.Get("Authorization") != "":
		http.Error(w, "a sign-up with the admin's bearer would take another way than visitors'", http.StatusTeapot)
	}
}

// TestAPageIsOpenedWithItsScripts: one that does not arrive is a failure that a person sees.
func TestAPageIsOpenedWithItsScripts(t *testing.T) {
	pages := &seen{}
	server := httptest.NewServer(pages)
	defer server.Close()
	s := &load.Site{Origin: server.URL, Through: http.DefaultTransport}
	if err := s.Page("/profile")(0).Do(t.Context()); err == nil || !strings.Contains(err.Error(), "/_next/static/chunks/gone.js") {
		t.Error(err)
	}
	if want := []string{"/profile", "/_next/static/chunks/a.css", "/_next/static/chunks/a.js", "/_next/static/chunks/gone.js"}; !slices.Equal(pages.asked, want) {
		t.Errorf("%v", pages.asked)
	}
}

// TestVisitorsAreNotStaff: they sign up without its token, and those who did are approved, once.
func TestVisitorsAreNotStaff(t *testing.T) {
	server := httptest.NewServer(&seen{})
	defer server.Close()
	s := &load.Site{Origin: server.URL, Through: http.DefaultTransport, Admin: person.New(server.URL)}
	errtest.None(t, s.Admin.Renew(t.Context()))
	direct := load.Direct(server.Listener.Addr().String(), server.URL).SignUpsAndReads(s.Admin, "/api/secret")
	for _, r := range []load.Request{s.Join("a")(7), direct(0), direct(1)} {
		if err := r.Do(t.Context()); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
	approved, joins := s.Approve("a")(8), s.Approve("a")(9)
	if approved.Name != load.Approve || approved.Key != "a-7@fledge.test" || joins.Name != load.Join || joins.Key != "a-9@fledge.test" {
		t.Errorf("%+v, then %+v", approved, joins)
	}
}

func TestKeysFindWhatWasLostRepeatedAndUnasked(t *testing.T) {
	l := load.NewKeys()
	for _, key := range []string{"kept", "lost", "twice", "kept"} {
		l.Add(key)
	}
	d := l.Compare([]string{"kept", "twice", "twice", "unasked"})
	if !slices.Equal(d.Lost, []string{"lost"}) || !slices.Equal(d.Repeated, []string{"twice"}) || !slices.Equal(d.Unasked, []string{"unasked"}) {
		t.Errorf("got %+v", d)
	}
	if l.Len() != 3 {
		t.Errorf("%d keys", l.Len())
	}
}
