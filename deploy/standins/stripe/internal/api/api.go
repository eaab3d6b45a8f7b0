// Package api is Stripe's REST API for an account: form-encoded parameters, Stripe's
// errors, lists, expansion, idempotency keys (https://docs.stripe.com/api).
//
// A parameter that the stand-in does not support is refused, as Stripe refuses unknown
// ones: nothing is ignored silently.
package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

// Server answers API requests. Its fields may be used while it serves.
type Server struct {
	Calls  *Journal
	Faults *Faults

	account *account.Account
	key     string
	running *running
	routes  *http.ServeMux
}

// New returns the API of an account for one secret key.
func New(a *account.Account, key string, now func() time.Time) *Server {
	s := &Server{
		Calls: &Journal{now: now}, Faults: &Faults{}, account: a, key: key, running: newRunning(), routes: http.NewServeMux(),
	}
	for pattern, handle := range endpoints() {
		s.routes.Handle(pattern, s.endpoint(handle))
	}
	s.routes.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		err := account.Refuse("", "", "Unrecognized request URL (%s: %s). The stand-in's README lists what it knows.", r.Method, r.URL.Path)
		err.Status = http.StatusNotFound
		writeError(w, err)
	})
	return s
}

// handler answers one endpoint from inside of an update.
type handler func(*account.Tx, *request) (account.Object, error)

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := account.NewID("req_")
	w.Header().Set("Request-Id", id)
	w.Header().Set("Stripe-Version", account.APIVersion)
	_, route := s.routes.Handler(r)
	rec := &recorder{ResponseWriter: w}
	call := s.Calls.begin(r, route, id)
	defer func() { s.Calls.end(call, rec.status) }()
	if err := s.admit(r); err != nil {
		writeError(rec, err)
		return
	}
	s.routes.ServeHTTP(rec, r)
}

// admit checks the key and the version, which tell that the caller is ours.
func (s *Server) admit(r *http.Request) error {
	key, _, basic := r.BasicAuth()
	if !basic {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if strings.EqualFold(scheme, "Bearer") {
			key = token
		}
	}
	if key != s.key {
		text := "Invalid API Key provided: " + mask(key)
		if key == "" {
			text = "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth."
		}
		return &account.Error{Status: http.StatusUnauthorized, Type: "invalid_request_error", Text: text}
	}
	if version := r.Header.Get("Stripe-Version"); version != "" && version != account.APIVersion {
		return account.Refuse("", "", "Invalid Stripe API version: %s. The stand-in speaks %s only.", version, account.APIVersion)
	}
	return nil
}

func mask(key string) string {
	if len(key) < 12 {
		return strings.Repeat("*", len(key))
	}
	return key[:8] + strings.Repeat("*", len(key)-12) + key[len(key)-4:]
}

func (s *Server) endpoint(handle handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status, body, err := s.answer(r, w.Header(), handle)
		if err != nil {
			writeError(w, err)
			return
		}
		writeBody(w, status, body)
	})
}

// answer finds what a request gets: a fault, what its idempotency key got before,
// or the work of its handler.
func (s *Server) answer(r *http.Request, header http.Header, handle handler) (status int, body []byte, err error) {
	params, err := parse(r)
	if err != nil {
		return 0, nil, err
	}
	key := ""
	if r.Method == http.MethodPost {
		key = r.Header.Get("Idempotency-Key")
	}
	if key != "" {
		header.Set("Idempotency-Key", key)
		release, err := s.running.enter(key)
		if err != nil {
			return 0, nil, err
		}
		defer release()
	}
	fault := s.Faults.next(r)
	if err := fault.before(r.Context(), header); err != nil {
		if fault.Remembered && key != "" {
			s.remember(r.Context(), key, params.hash, err)
		}
		return 0, nil, err
	}
	in := account.Request{ID: header.Get("Request-Id"), IdempotencyKey: key}
	err = s.account.Update(r.Context(), in, func(tx *account.Tx) error {
		if key != "" {
			if earlier := tx.Answered(key); earlier != nil {
				status, body, err = replay(header, earlier, params.hash)
				return err
			}
		}
		status, body, err = work(tx, &request{params: params, path: r.PathValue}, handle, fault.Blank)
		if key != "" && saved(err) {
			if err != nil {
				status, body = encodeError(err)
			}
			tx.Remember(account.Answer{IdempotencyKey: key, Request: params.hash, Status: status, Body: body})
		}
		return err
	})
	fault.after()
	return status, body, err
}

func work(tx *account.Tx, r *request, handle handler, blank []string) (int, []byte, error) {
	object, err := handle(tx, r)
	if err != nil {
		return 0, nil, err
	}
	if err := expand(tx, object, r.expansions()); err != nil {
		return 0, nil, err
	}
	for _, field := range blank {
		object[field] = nil
	}
	body, err := json.MarshalIndent(object, "", "  ")
	return http.StatusOK, body, err
}

// saved tells that an outcome counts for its idempotency key: a refusal of the
// parameters does not, since nothing ran.
func saved(err error) bool {
	var refusal *account.Error
	return err == nil || (errors.As(err, &refusal) && refusal.Type == "card_error")
}

func (s *Server) remember(ctx context.Context, key, hash string, err error) {
	status, body := encodeError(err)
	_ = s.account.Update(ctx, account.Request{}, func(tx *account.Tx) error { // the caller gets its error either way
		tx.Remember(account.Answer{IdempotencyKey: key, Request: hash, Status: status, Body: body})
		return nil
	})
}
