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

// controls are the methods of Server as JSON over HTTP, for tests that run in
// another process. README.md lists them.
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
	mux.HandleFunc("PUT /control/prices/{id}", control(func(ctx context.Context, r *http.Request, in Price) (any, error) {
		in.ID = r.PathValue("id")
		return nil, s.PutPrice(ctx, in)
	}))
	mux.HandleFunc("DELETE /control/prices/{id}", control(func(ctx context.Context, r *http.Request, _ struct{}) (any, error) {
		return nil, s.DeletePrice(ctx, r.PathValue("id"))
	}))
	mux.HandleFunc("PUT /control/products/{id}", control(func(ctx context.Context, r *http.Request, in Product) (any, error) {
		in.ID = r.PathValue("id")
		return nil, s.PutProduct(ctx, in)
	}))
	mux.HandleFunc("POST /control/checkouts/{id}/pay", control(func(ctx context.Context, r *http.Request, in Purchase) (any, error) {
		in.TermsAccepted = true
		return nil, s.PayCheckoutWith(ctx, r.PathValue("id"), in)
	}))
	mux.HandleFunc("POST /control/subscriptions", control(func(ctx context.Context, _ *http.Request, in newSubscription) (any, error) {
		id, err := s.Subscribe(ctx, in.Customer, in.Price, in.Quantity, in.Card)
		return map[string]any{"id": id}, err
	}))
	mux.HandleFunc("PATCH /control/subscriptions/{id}", control(func(ctx context.Context, r *http.Request, in subscriptionChange) (any, error) {
		return nil, s.changeSubscription(ctx, r.PathValue("id"), in)
	}))
	mux.HandleFunc("POST /control/charges/{id}/dispute", control(func(ctx context.Context, r *http.Request, _ struct{}) (any, error) {
		id, err := s.Dispute(ctx, r.PathValue("id"))
		return map[string]any{"id": id}, err
	}))
	mux.HandleFunc("POST /control/invoices/{id}/pay-part", control(func(ctx context.Context, r *http.Request, in struct{ Amount int64 }) (any, error) {
		id, err := s.PayPart(ctx, r.PathValue("id"), in.Amount)
		return map[string]any{"id": id}, err
	}))
	mux.HandleFunc("POST /control/invoices/{id}/confirm", control(func(ctx context.Context, r *http.Request, _ struct{}) (any, error) {
		return nil, s.Confirm(ctx, r.PathValue("id"))
	}))
	mux.HandleFunc("POST /control/invoices/{id}/credit", control(func(ctx context.Context, r *http.Request, in struct{ Amount int64 }) (any, error) {
		return nil, s.Credit(ctx, r.PathValue("id"), in.Amount)
	}))
	mux.HandleFunc("POST /control/charges/{id}/warn", control(func(ctx context.Context, r *http.Request, _ struct{}) (any, error) {
		id, err := s.Warn(ctx, r.PathValue("id"))
		return map[string]any{"id": id}, err
	}))
	mux.HandleFunc("POST /control/disputes/{id}/close", control(func(ctx context.Context, r *http.Request, in struct{ Won bool }) (any, error) {
		return nil, s.CloseDispute(ctx, r.PathValue("id"), in.Won)
	}))
	mux.HandleFunc("POST /control/charges/{id}/refund", control(func(ctx context.Context, r *http.Request, in struct{ Amount int64 }) (any, error) {
		id, err := s.PendRefund(ctx, r.PathValue("id"), in.Amount)
		return map[string]any{"id": id}, err
	}))
	mux.HandleFunc("POST /control/refunds/{id}/finish", control(func(ctx context.Context, r *http.Request, _ struct{}) (any, error) {
		return nil, s.FinishRefund(ctx, r.PathValue("id"))
	}))
	mux.HandleFunc("POST /control/refunds/{id}/fail", control(func(ctx context.Context, r *http.Request, _ struct{}) (any, error) {
		return nil, s.FailRefund(ctx, r.PathValue("id"))
	}))
	return mux
}

type clockStep struct{ Months, Seconds int }

type newSubscription struct {
	Customer, Price, Card string
	Quantity              int64
}

// subscriptionChange sets what is given.
type subscriptionChange struct {
	FailPayments *int
	AskPayer     bool
	PercentOff   *int64
	Paused       *bool
}

func (s *Server) changeSubscription(ctx context.Context, id string, in subscriptionChange) error {
	var errs []error
	if in.FailPayments != nil {
		errs = append(errs, s.FailPayments(ctx, id, *in.FailPayments))
	}
	if in.AskPayer {
		errs = append(errs, s.AskPayer(ctx, id))
	}
	if in.PercentOff != nil {
		errs = append(errs, s.Discount(ctx, id, *in.PercentOff))
	}
	switch {
	case in.Paused == nil:
	case *in.Paused:
		errs = append(errs, s.Pause(ctx, id))
	default:
		errs = append(errs, s.Resume(ctx, id))
	}
	return errors.Join(errs...)
}

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
