package kratos_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"fledge.dev/gateway/internal/kratos"
	"fledge.dev/services/platform/errtest"
)

// TestASiblingHostPlantsNoSignIn: on https, cookies of a sign-in in progress have the prefix
// that only the site's own host can set, and Kratos hears of no others.
func TestASiblingHostPlantsNoSignIn(t *testing.T) {
	var mu sync.Mutex
	var heard []string // cookies, by request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, r.URL.Path+" "+r.Header.Get("Cookie"))
		w.Header().Add("Set-Cookie", "csrf_token_abc=c2; Path=/; Domain=fledge.example; Max-Age=31536000; HttpOnly; SameSite=Lax")
		switch {
		case strings.Contains(r.URL.Path, "/callback/"):
			w.Header().Add("Set-Cookie", "__Host-fledge_session=s1; Path=/; HttpOnly; Secure; SameSite=Lax")
			w.Header().Set("Location", "https://fledge.example/profile")
			w.WriteHeader(http.StatusSeeOther)
		case r.Method == http.MethodPost:
			w.Header().Add("Set-Cookie", "ory_kratos_continuity=k2; Path=/; HttpOnly; SameSite=Lax")
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = w.Write([]byte(`{"redirect_browser_to":"https://accounts.google.com/"}`))
		default:
			_, _ = w.Write([]byte(`{"id":"f1"}`))
		}
	}))
	t.Cleanup(server.Close)
	client := newClient(t, server.URL)
	planted := []*http.Cookie{{Name: "fledge_session", Value: "evil"}, {Name: "ory_kratos_continuity", Value: "evil"}, {Name: "csrf_token_abc", Value: "evil"}}
	navigate := func(cookies []*http.Cookie) *http.Response {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, kratos.Prefix+"/self-service/methods/oidc/callback/google?code=x&state=y", nil)
		client.Navigate(w, r, kratos.Visitor{Cookies: cookies}, "google", nil, func(string) {}, func(err error) { t.Error(err) })
		return w.Result()
	}

	if to := navigate(planted).Header.Get("Location"); to != "https://fledge.example/auth/error?error_code=sign_in_interrupted" || len(heard) > 0 {
		t.Errorf("a planted sign-in leads to %s, and Kratos heard %q", to, heard)
	}
	own := append(planted, &http.Cookie{Name: "__Host-csrf_token_abc", Value: "c1"})
	start, err := client.SignIn(t.Context(), kratos.Visitor{Cookies: own}, "google", "/profile", false)
	errtest.None(t, err)
	var set []string
	for _, cookie := range start.Cookies {
		set = append(set, cookie.Raw)
	}
	const token = "__Host-csrf_token_abc=c2; Path=/; Max-Age=31536000; HttpOnly; Secure; SameSite=Lax"
	const continuity = "__Host-ory_kratos_continuity=k2; Path=/; HttpOnly; Secure; SameSite=Lax"
	if got := strings.Join(set, "\n"); got != token+"\n"+token+"\n"+continuity {
		t.Errorf("the browser is given\n%s", got)
	}
	back := navigate(append(planted, start.Cookies...))
	if got := back.Header.Values("Set-Cookie"); len(got) != 2 || got[0] != token || !strings.HasPrefix(got[1], "__Host-fledge_session=s1; ") {
		t.Errorf("on the way back the browser is given %q", got)
	}
	if got := strings.Join(heard, "\n"); strings.Contains(got, "evil") || !strings.Contains(got, "/self-service/login/browser csrf_token_abc=c1\n") ||
		!strings.HasSuffix(got, "/callback/google csrf_token_abc=c2; csrf_token_abc=c2; ory_kratos_continuity=k2") {
		t.Errorf("Kratos heard\n%s", got)
	}
}
