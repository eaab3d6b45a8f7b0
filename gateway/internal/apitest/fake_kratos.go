package apitest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"fledge.dev/services/platform/brand"
)

const FlowID = "3f1b0a52-b1d9-4e8a-96c1-f0d2e9b84c31"

// kratosFake speaks the few words of Kratos' public interface that the gateway
// listens to, as recorded from v1.3.1.
type kratosFake struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
	bodies   []string

	// SignedIn makes starting a flow answer that there is a session.
	SignedIn bool
	// submit, lookUp and callback, when set, are the status of these answers.
	Submit, LookUp, Ready int
	Location              string
	Failure               map[string]any
	// Nodes are the names of what a settings flow, or one for a second factor, shows and takes.
	Nodes []string
}

func newKratos(t *testing.T) *kratosFake {
	f := &kratosFake{Location: "http://localhost:8080/profile"}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /self-service/login/browser", f.startFlow)
	mux.HandleFunc("POST /self-service/login", f.submitFlow)
	mux.HandleFunc("GET /self-service/settings/browser", func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, f.flow()) })
	mux.HandleFunc("GET /self-service/settings/flows", func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, f.flow()) })
	mux.HandleFunc("POST /self-service/settings", f.submitFlow)
	mux.HandleFunc("GET /self-service/login/flows", f.getFlow)
	mux.HandleFunc("GET /self-service/registration/flows", f.getFlow)
	mux.HandleFunc("GET /self-service/errors", f.getError)
	mux.HandleFunc("/self-service/methods/oidc/callback/{provider}", f.callback)
	mux.HandleFunc("GET /health/ready", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(orOK(f.Ready)) })
	f.Server = httptest.NewServer(f.record(mux))
	t.Cleanup(f.Close)
	return f
}

func (f *kratosFake) base() *url.URL {
	u, err := url.Parse(f.URL)
	if err != nil {
		panic(err)
	}
	return u
}

func (f *kratosFake) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body strings.Builder
		buf := make([]byte, 4096)
		n, _ := r.Body.Read(buf)
		body.Write(buf[:n])
		f.mu.Lock()
		f.requests, f.bodies = append(f.requests, r), append(f.bodies, body.String())
		f.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

// Seen returns the requests so far and their bodies.
func (f *kratosFake) Seen() ([]*http.Request, []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests, f.bodies
}

func lastOf(_ []*http.Request, bodies []string) string { return bodies[len(bodies)-1] }

func (f *kratosFake) startFlow(w http.ResponseWriter, r *http.Request) {
	if f.SignedIn && r.URL.Query().Get("refresh") != "true" {
		reply(w, http.StatusBadRequest, map[string]any{"error": map[string]any{"id": "session_already_available", "code": 400}})
		return
	}
	http.SetCookie(w, &http.Cookie{Name: "csrf_token_abc", Value: "c1", Path: "/", HttpOnly: true})
	reply(w, http.StatusOK, f.flow())
}

// flow shows Nodes, each with all that one of them could have.
func (f *kratosFake) flow() map[string]any {
	nodes := []any{}
	for _, name := range f.Nodes {
		nodes = append(nodes, map[string]any{"attributes": map[string]any{
			"name": name, "src": "data:image/png;base64,iVBORw0KGgo=", "text": map[string]any{"context": map[string]any{
				"secret": "JBSWY3DPEHPK3PXP", "secrets": []any{map[string]any{"context": map[string]any{"secret": "abcd2345"}}},
			}},
		}})
	}
	return map[string]any{"id": FlowID, "ui": map[string]any{"nodes": nodes}}
}

func (f *kratosFake) submitFlow(w http.ResponseWriter, _ *http.Request) {
	if f.Submit == http.StatusOK {
		reply(w, http.StatusOK, f.flow())
		return
	}
	if f.Submit != 0 {
		reply(w, f.Submit, map[string]any{"error": map[string]any{"code": f.Submit, "id": "an_id", "reason": "a reason", "message": "pq: secret detail"},
			"ui": map[string]any{"nodes": []any{"csrf_token=secret detail", "ada@example.com"}}})
		return
	}
	http.SetCookie(w, &http.Cookie{Name: "ory_kratos_continuity", Value: "k1", Path: "/", HttpOnly: true})
	reply(w, http.StatusUnprocessableEntity, map[string]any{
		"error": map[string]any{"id": "browser_location_change_required"}, "redirect_browser_to": "https://accounts.google.com/o/oauth2/v2/auth?x=y",
	})
}

func (f *kratosFake) getFlow(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("X-Kratos-Internal", "leak")
	reply(w, orOK(f.LookUp), map[string]any{"id": FlowID, "ui": map[string]any{
		"nodes": []any{}, "messages": []any{map[string]any{"id": 1010016, "text": "Link it?", "type": "info"}},
	}})
}

func (f *kratosFake) getError(w http.ResponseWriter, _ *http.Request) {
	reply(w, orOK(f.LookUp), map[string]any{"id": FlowID, "error": f.Failure})
}

func (f *kratosFake) callback(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		// A cross-site post brings no cookies; the same as a navigation does.
		w.Header().Set("Location", "http://localhost:8080/api/auth/kratos"+r.URL.Path+"?"+lastOf(f.Seen()))
		w.WriteHeader(http.StatusFound)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: brand.SessionCookie, Value: "s1", Path: "/", HttpOnly: true})
	w.Header().Set("Location", f.Location)
	w.WriteHeader(http.StatusSeeOther)
}

func orOK(status int) int {
	if status == 0 {
		return http.StatusOK
	}
	return status
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
