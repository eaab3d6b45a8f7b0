package kratos_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/identity/internal/kratos"
	"fledge.dev/services/platform/brand"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

// server answers everything alike and counts what it was asked.
type server struct {
	client *kratos.Client
	status atomic.Int64
	body   atomic.Value
	link   atomic.Value
	calls  atomic.Int64
}

func newServer(t *testing.T) *server {
	t.Helper()
	s := &server{}
	s.answers(http.StatusOK, "[]")
	s.link.Store("")
	listener := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.calls.Add(1)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Link", s.link.Load().(string))
		if r.URL.Path == "/health/ready" && s.status.Load() < http.StatusInternalServerError {
			_, _ = w.Write([]byte(`{"status":"ok"}`))
			return
		}
		w.WriteHeader(int(s.status.Load()))
		_, _ = w.Write([]byte(s.body.Load().(string)))
	}))
	t.Cleanup(listener.Close)
	client, err := kratos.New(kratos.Config{PublicURL: listener.URL, AdminURL: listener.URL, Timeout: 10 * time.Second}, prometheus.NewRegistry())
	errtest.None(t, err)
	t.Cleanup(client.Close)
	s.client = client
	return s
}

func (s *server) answers(status int, body string) {
	s.status.Store(int64(status))
	s.body.Store(body)
}

// TestBackgroundWorkSparesKratosAndHarmsNobody: a list that fails is no reason to
// keep people from signing in, and a Kratos that is down is not asked for lists.
func TestBackgroundWorkSparesKratosAndHarmsNobody(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	list := func() error { _, err := s.client.Identities(t.Context(), []uuid.UUID{uuid.New()}); return err }
	signIn := func() error { _, err := s.client.Session(t.Context(), brand.SessionCookie+"=x"); return err }

	s.answers(http.StatusInternalServerError, `{}`)
	for range 20 {
		if err := list(); !errors.Is(err, fault.Unavailable) {
			t.Fatal(err)
		}
	}
	s.answers(http.StatusUnauthorized, `{"error":{"code":401,"message":"x"}}`)
	if err := signIn(); !errors.Is(err, kratos.ErrNoSession) {
		t.Fatalf("lists that fail keep people out: %v", err)
	}

	s.answers(http.StatusInternalServerError, `{}`)
	for range 10 {
		if err := signIn(); !errors.Is(err, fault.Unavailable) {
			t.Fatal(err)
		}
	}
	before := s.calls.Load()
	if err := list(); !errors.Is(err, fault.Unavailable) || s.calls.Load() != before {
		t.Errorf("a Kratos that is down was asked for a list: %v", err)
	}
}

func TestIdentityTellsGoneFromUnanswered(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id := uuid.New()
	for body, gone := range map[string]bool{
		`{"error":{"code":404,"status":"Not Found","message":"Unable to locate the resource"}}`: true,
		`{"error":{"code":403,"message":"x"}}`:                                                  false,
		`{"error":{"message":"x"}}`:                                                             false,
		`{"error":"Not Found"}`:                                                                 false,
		`{"message":"no Route matched with those values"}`:                                      false,
		`404 page not found`:                                                                    false,
		``:                                                                                      false,
	} {
		s.answers(http.StatusNotFound, body)
		if _, err := s.client.Identity(t.Context(), id); errors.Is(err, kratos.ErrGone) != gone || !gone && !errors.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", body, err)
		}
		if active, err := s.client.SessionActive(t.Context(), id); active || errors.Is(err, kratos.ErrGone) != gone || !gone && !errors.Is(err, fault.Unavailable) {
			t.Errorf("session, %s: %t, %v", body, active, err)
		}
		for name, err := range map[string]error{
			"end a session": s.client.EndSession(t.Context(), id), "end all": s.client.EndSessions(t.Context(), id),
			"delete": s.client.DeleteIdentity(t.Context(), id), "set state": s.client.SetActive(t.Context(), id, false),
			"drop traits": s.client.DropTraits(t.Context(), id, []string{"name"}),
		} {
			if (err == nil) != gone || !gone && !errors.Is(err, fault.Unavailable) {
				t.Errorf("%s, %s: %v", name, body, err)
			}
		}
		if err := s.client.RemoveSecondFactor(t.Context(), id); errors.Is(err, kratos.ErrNoSecondFactor) != gone {
			t.Errorf("second factor, %s: %v", body, err)
		}
	}
	for _, body := range []string{"null", "{}", `{"id":"` + uuid.NewString() + `","schema_id":"p","schema_url":"x","traits":{},"state":"inactive","created_at":"2026-01-01T00:00:00Z"}`} {
		s.answers(http.StatusOK, body)
		if identity, err := s.client.Identity(t.Context(), id); !errors.Is(err, fault.Unavailable) {
			t.Errorf("%s: %+v, %v", body, identity, err)
		}
		if active, err := s.client.SessionActive(t.Context(), id); !errors.Is(err, fault.Unavailable) {
			t.Errorf("session, %s: %t, %v", body, active, err)
		}
	}
}

// TestARefreshToken tells a provider without a readable token from one that is not linked.
func TestARefreshToken(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	id := uuid.New()
	for linked, want := range map[string]struct {
		token string
		err   error
	}{
		`{"provider":"google","initial_refresh_token":""},{"provider":"apple","initial_refresh_token":"r1"}`: {"r1", nil},
		`{"provider":"google","initial_refresh_token":"g1"}`:                                                 {"", nil},
		``: {"", nil},
		`{"provider":"apple","initial_refresh_token":""}`: {"", kratos.ErrNoToken},
		`{"provider":"apple"}`:                            {"", kratos.ErrNoToken},
	} {
		s.answers(http.StatusOK, `{"id":"`+id.String()+`","schema_id":"p","schema_url":"x","traits":{},
			"credentials":{"oidc":{"type":"oidc","config":{"providers":[`+linked+`]}}}}`)
		if token, err := s.client.RefreshToken(t.Context(), id, "apple"); token != want.token || !errors.Is(err, want.err) {
			t.Errorf("%s: %q, %v", linked, token, err)
		}
	}
}

func TestPagesFollowTheLinkHeader(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	for link, want := range map[string]string{
		"": "",
		`</admin/identities?page_size=1&page_token=00000000-0000-0000-0000-000000000000>; rel="first"`:                                                          "",
		`</admin/identities?page_size=1&page_token=00000000-0000-0000-0000-000000000000>; rel="first",</admin/identities?page_size=1&page_token=7>; rel="next"`: "7",
		`</admin/sessions?page_token=a%2Fb%3D>; rel="next"`:                                                                                                     "a/b=",
		`rel="next"`:                  "",
		`<::>; rel="next"`:            "",
		`</x>; rel="next",,<y>;<z>,<`: "",
	} {
		s.link.Store(link)
		if _, next, err := s.client.ActiveSessions(t.Context(), "", 1); err != nil || next != want {
			t.Errorf("%s leads to %q, %v; want %q", link, next, err, want)
		}
	}
}

func TestNoIdsAreNotAllIdentities(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	if found, err := s.client.Identities(t.Context(), nil); len(found) != 0 || err != nil || s.calls.Load() != 0 {
		t.Errorf("found %v, %v, after %d calls", found, err, s.calls.Load())
	}
}
