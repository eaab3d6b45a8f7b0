package fault_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"fledge.dev/services/platform/fault"
)

func TestKindsHaveOneCodeAndOneStatus(t *testing.T) {
	want := map[fault.Kind]struct {
		code codes.Code
		http int
	}{
		fault.Invalid:         {codes.InvalidArgument, http.StatusBadRequest},
		fault.Unauthenticated: {codes.Unauthenticated, http.StatusUnauthorized},
		fault.Forbidden:       {codes.PermissionDenied, http.StatusForbidden},
		fault.NotFound:        {codes.NotFound, http.StatusNotFound},
		fault.Conflict:        {codes.FailedPrecondition, http.StatusConflict},
		fault.TooLarge:        {codes.OutOfRange, http.StatusRequestEntityTooLarge},
		fault.RateLimited:     {codes.ResourceExhausted, http.StatusTooManyRequests},
		fault.Unavailable:     {codes.Unavailable, http.StatusServiceUnavailable},
		fault.Internal:        {codes.Internal, http.StatusInternalServerError},
	}
	for kind, w := range want {
		if kind.Code() != w.code || kind.HTTPStatus() != w.http {
			t.Errorf("%s: got %v/%d, want %v/%d", kind, kind.Code(), kind.HTTPStatus(), w.code, w.http)
		}
	}
}

func TestAFaultSurvivesTheWire(t *testing.T) {
	sent := fault.New(fault.Conflict, "already_rejected", "This person was taken off the list.").
		Field("id", "is rejected").RetryAfter(3 * time.Second).Wrap(errors.New("secret detail"))

	got := fault.FromGRPC(sent.GRPCStatus().Err())

	if !errors.Is(got, fault.Conflict) || got.Reason != "already_rejected" || got.Message != sent.Message {
		t.Fatalf("got %+v", got)
	}
	if len(got.Fields) != 1 || got.Fields[0] != (fault.Field{Name: "id", Message: "is rejected"}) || got.Retry != 3*time.Second {
		t.Fatalf("details lost: %+v", got)
	}
	if got.Unwrap() != nil {
		t.Fatal("the cause must not cross the wire")
	}
}

func TestForeignStatusKeepsItsMeaningButNotItsText(t *testing.T) {
	for code, kind := range map[codes.Code]fault.Kind{
		codes.Unavailable:      fault.Unavailable,
		codes.DeadlineExceeded: fault.Unavailable,
		codes.Unimplemented:    fault.Unavailable,
		codes.DataLoss:         fault.Internal,
	} {
		got := fault.FromGRPC(status.Error(code, "dial tcp 10.0.0.7:5432"))
		if !errors.Is(got, kind) || got.Message == "dial tcp 10.0.0.7:5432" {
			t.Errorf("%v: got %v", code, got)
		}
	}
}

// TestADeadlineIsATimeoutOnBothSides, for either side may be the first to notice it.
func TestADeadlineIsATimeoutOnBothSides(t *testing.T) {
	there := fault.Of(context.DeadlineExceeded)
	for _, code := range []codes.Code{codes.DeadlineExceeded, codes.Canceled} {
		here := fault.FromGRPC(status.Error(code, "context deadline exceeded"))
		if here.Kind != there.Kind || here.Reason != there.Reason || here.Message != there.Message || here.Retry != there.Retry {
			t.Errorf("%v: here %+v, there %+v", code, here, there)
		}
	}
}

func TestOfClassifiesPlainErrors(t *testing.T) {
	if got := fault.Of(errors.New("boom")); got.Kind != fault.Internal || got.Message != fault.FallbackMessage {
		t.Errorf("plain error: %+v", got)
	}
	if got := fault.Of(fmt.Errorf("load: %w", context.DeadlineExceeded)); got.Kind != fault.Unavailable {
		t.Errorf("deadline: %+v", got)
	}
	inner := fault.New(fault.NotFound, "no_entry", "No such entry.")
	if got := fault.Of(fmt.Errorf("store: %w", inner)); got != inner {
		t.Errorf("wrapped fault: %+v", got)
	}
	if fault.Of(nil) != nil {
		t.Error("nil must stay nil")
	}
}

func TestBuildersDoNotChangeTheOriginal(t *testing.T) {
	base := fault.New(fault.Invalid, "bad", "Bad.")
	_ = base.Field("a", "b").RetryAfter(time.Second).Wrap(errors.New("x"))
	if len(base.Fields) != 0 || base.Retry != 0 || base.Unwrap() != nil {
		t.Fatalf("base changed: %+v", base)
	}
}
