package stripe

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

// controls are those methods of Server that tests in another process need, as JSON over HTTP. README.md
// lists them.
func (s *Server) controls() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /control/clock", control(func(ctx context.Context, _ *http.Request, _ struct{}) (any, error) {
		now, err := s.Now(ctx)
		return map[string]any{"now": now}, err
	}))
	mux.HandleFunc("POST /control/clock", control(func(ctx context.Context, _ *http.Request, in clockStep) (any, error) {
		if err := s.Advance(ctx, in.Months, time.Duration(in.Seconds)*time.Second); err != nil {
			return nil, err
		}
		now, err := s.Now(ctx)
		return map[string]any{"now": now}, err
	}))
	mux.HandleFunc("GET /control/calls", control(func(context.Context, *http.Request, struct{}) (any, error) {
		return map[string]any{"calls": s.Calls()}, nil
	}))
	mux.HandleFunc("DELETE /control/calls", control(func(context.Context, *http.Request, struct{}) (any, error) {
		s.ClearCalls()
		return nil, nil
	}))
	mux.HandleFunc("PUT /control/fault", control(func(_ context.Context, _ *http.Request, in Fault) (any, error) {
		s.SetFault(in)
		return nil, nil
	}))
	mux.HandleFunc("GET /control/delivery", control(func(context.Context, *http.Request, struct{}) (any, error) {
		return s.Deliveries(), nil
	}))
	mux.HandleFunc("PUT /control/delivery", control(func(_ context.Context, _ *http.Request, in Delivery) (any, error) {
		return nil, s.SetDelivery(in)
	}))
	mux.HandleFunc("POST /control/checkouts/{id}/pay", control(func(ctx context.Context, r *http.Request, in Purchase) (any, error) {
		in.TermsAccepted = true
		return nil, s.PayCheckoutWith(ctx, r.PathValue("id"), in)
	}))
	return mux
}

type clockStep struct{ Months, Seconds int }

// control decodes, calls and encodes. Without a result it answers 204.
func control[In any](call func(context.Context, *http.Request, In) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in In
		decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&in); err != nil && !errors.Is(err, io.EOF) {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		out, err := call(r.Context(), r, in)
		var refused *account.Error
		switch {
		case errors.As(err, &refused):
			http.Error(w, refused.Text, refused.Status)
		case err != nil:
			http.Error(w, err.Error(), http.StatusBadRequest)
		case out == nil:
			w.WriteHeader(http.StatusNoContent)
		default:
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(out) // the client went away
		}
	}
}
