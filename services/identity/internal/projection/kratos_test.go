package projection_test

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
)

// standIn is Kratos' admin listener with the answers of version 1.3.1, as they
// were recorded. deploy/test/product/signin meets the real one.
type standIn struct {
	url string

	mu         sync.Mutex
	identities map[uuid.UUID]*identity
	sessions   map[uuid.UUID]*kratosSession
	calls      []string // path and query
	// spoil, when set, may answer in Kratos' place.
	spoil func(w http.ResponseWriter, r *http.Request) bool
}

type identity struct {
	id        uuid.UUID
	state     string
	email     string
	verified  bool
	providers []string
	created   time.Time
	surplus   map[string]any // traits besides the address
}

type kratosSession struct {
	id, identity uuid.UUID
	active       bool
	provider     string
	at           time.Time
}

func newStandIn(t *testing.T) *standIn {
	k := &standIn{identities: map[uuid.UUID]*identity{}, sessions: map[uuid.UUID]*kratosSession{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /admin/identities", k.listIdentities)
	mux.HandleFunc("GET /admin/identities/{id}", func(w http.ResponseWriter, r *http.Request) {
		if i := k.identities[uuid.MustParse(r.PathValue("id"))]; i != nil {
			answer(w, http.StatusOK, i.encode(true))
			return
		}
		answer(w, http.StatusNotFound, notFound)
	})
	mux.HandleFunc("PATCH /admin/identities/{id}", k.patchIdentity)
	mux.HandleFunc("GET /admin/sessions", k.listSessions)
	mux.HandleFunc("GET /admin/sessions/{id}", func(w http.ResponseWriter, r *http.Request) {
		if s := k.sessions[uuid.MustParse(r.PathValue("id"))]; s != nil {
			answer(w, http.StatusOK, k.encode(s, false))
			return
		}
		answer(w, http.StatusNotFound, notFound)
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.calls = append(k.calls, r.URL.RequestURI())
		if k.spoil == nil || !k.spoil(w, r) {
			mux.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	k.url = server.URL
	return k
}

// change makes a change between calls.
func (k *standIn) change(f func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f()
}

// spoiled is how Kratos answers from now on.
func (k *standIn) spoiled(f func(w http.ResponseWriter, r *http.Request) bool) {
	k.change(func() { k.spoil = f })
}

func (k *standIn) called() (n int) {
	k.change(func() { n, k.calls = len(k.calls), nil })
	return n
}

var notFound = map[string]any{"error": map[string]any{"code": 404, "status": "Not Found", "message": "Unable to locate the resource"}}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		panic(err)
	}
}

func (i *identity) traits() map[string]any {
	traits := maps.Clone(i.surplus)
	if traits == nil {
		traits = map[string]any{}
	}
	traits["email"] = i.email
	return traits
}

// patchIdentity removes traits.
func (k *standIn) patchIdentity(w http.ResponseWriter, r *http.Request) {
	i := k.identities[uuid.MustParse(r.PathValue("id"))]
	var patch []struct{ Op, Path string }
	if err := json.NewDecoder(r.Body).Decode(&patch); err != nil {
		panic(err)
	}
	for _, p := range patch {
		name, ok := strings.CutPrefix(p.Path, "/traits/")
		if _, has := i.surplus[name]; p.Op != "remove" || !ok || !has {
			answer(w, http.StatusBadRequest, map[string]any{"error": map[string]any{"code": 400, "message": p.Path}})
			return
		}
		delete(i.surplus, name)
	}
	answer(w, http.StatusOK, i.encode(false))
}

func (i *identity) encode(credentials bool) map[string]any {
	out := map[string]any{
		"id": i.id, "schema_id": "person", "schema_url": "x", "state": i.state, "traits": i.traits(),
		"created_at": i.created, "updated_at": i.created, "organization_id": nil,
		"verifiable_addresses": []any{map[string]any{"id": i.id, "value": i.email, "verified": i.verified, "via": "email", "status": "completed", "verified_at": i.created}},
	}
	if credentials {
		identifiers := []string{}
		for n, p := range i.providers {
			identifiers = append(identifiers, fmt.Sprintf("%s:%d", p, n))
		}
		out["credentials"] = map[string]any{
			"oidc":     map[string]any{"type": "oidc", "identifiers": identifiers, "version": 0},
			"password": map[string]any{"type": "password", "identifiers": []string{i.email}, "version": 0},
		}
	}
	return out
}

// listIdentities pages by id, names credentials when asked for any, and ignores
// unknown ids.
func (k *standIn) listIdentities(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	after := uuid.Nil
	if token := q.Get("page_token"); token != "" {
		after = uuid.MustParse(token)
	}
	var all []*identity
	for _, i := range k.identities {
		if bytes.Compare(i.id[:], after[:]) > 0 && (len(q["ids"]) == 0 || slices.Contains(q["ids"], i.id.String())) {
			all = append(all, i)
		}
	}
	slices.SortFunc(all, func(a, b *identity) int { return bytes.Compare(a.id[:], b.id[:]) })
	page := paginate(w, r, all, func(last *identity) string { return last.id.String() })
	out := []any{}
	for _, i := range page {
		out = append(out, i.encode(q.Has("include_credential")))
	}
	answer(w, http.StatusOK, out)
}

func (k *standIn) listSessions(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	offset := 0
	if token := q.Get("page_token"); token != "" {
		raw, err := base64.RawURLEncoding.DecodeString(token)
		if err != nil {
			panic(err)
		}
		if offset, err = strconv.Atoi(string(raw)); err != nil {
			panic(err)
		}
	}
	var all []*kratosSession
	for _, s := range k.sessions {
		if !q.Has("active") || s.active {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *kratosSession) int { return cmp.Or(b.at.Compare(a.at), bytes.Compare(a.id[:], b.id[:])) })
	page := paginate(w, r, all[min(offset, len(all)):], func(*kratosSession) string {
		size, _ := strconv.Atoi(q.Get("page_size"))
		return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(offset + size)))
	})
	out := []any{}
	for _, s := range page {
		out = append(out, k.encode(s, q.Has("expand")))
	}
	answer(w, http.StatusOK, out)
}

func (k *standIn) encode(s *kratosSession, expand bool) map[string]any {
	out := map[string]any{
		"id": s.id, "active": s.active, "authenticated_at": s.at, "issued_at": s.at, "expires_at": s.at.Add(720 * time.Hour), "identity": nil, "devices": nil,
		"authentication_methods": []any{map[string]any{"method": "oidc", "provider": s.provider}},
	}
	if i := k.identities[s.identity]; expand && i != nil {
		body := i.encode(false)
		delete(body, "verifiable_addresses")
		out["identity"] = body
	}
	return out
}

// paginate cuts a list at the page's size and links to the rest, as Kratos does.
func paginate[T any](w http.ResponseWriter, r *http.Request, all []T, token func(last T) string) []T {
	size := 250
	if s := r.URL.Query().Get("page_size"); s != "" {
		size, _ = strconv.Atoi(s)
	}
	link := `</first>; rel="first"`
	if len(all) > size {
		all = all[:size]
		u := *r.URL
		q := u.Query()
		q.Set("page_token", token(all[size-1]))
		u.RawQuery = q.Encode()
		link += fmt.Sprintf(`,<%s>; rel="next"`, u.String())
	}
	w.Header().Set("Link", link)
	return all
}
