package problem_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/problem"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/obs"
)

const requestID = "0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8"

func write(ctx context.Context, err error) (*httptest.ResponseRecorder, *gin.Context) {
	gin.SetMode(gin.ReleaseMode)
	rec := httptest.NewRecorder()
	c, _ := gin.CreateTestContext(rec)
	c.Request = httptest.NewRequest(http.MethodGet, "/", nil).WithContext(obs.WithRequestID(ctx, requestID))
	problem.Write(c, err)
	c.Writer.WriteHeaderNow()
	return rec, c
}

func TestWrite(t *testing.T) {
	tests := map[string]struct {
		err    error
		status int
		body   map[string]any
		header http.Header
	}{
		"a fault": {
			err:    fault.New(fault.Conflict, "rejected", "This entry was rejected."),
			status: 409,
			body:   map[string]any{"error": "This entry was rejected.", "code": "rejected"},
		},
		"fields": {
			err:    fault.New(fault.Invalid, "invalid", "Check the form.").Field("email", "is missing"),
			status: 400,
			body:   map[string]any{"error": "Check the form.", "code": "invalid", "fields": map[string]any{"email": "is missing"}},
		},
		"signed out": {
			err:    fault.New(fault.Unauthenticated, "no_session", "Please sign in."),
			status: 401,
			body:   map[string]any{"error": "Please sign in.", "code": "no_session"},
			header: http.Header{"Www-Authenticate": {"Bearer"}},
		},
		"a token that is not good": {
			err:    authn.ErrBadToken,
			status: 401,
			body:   map[string]any{"error": authn.ErrBadToken.Message, "code": "invalid_token"},
			header: http.Header{"Www-Authenticate": {`Bearer error="invalid_token"`}},
		},
		"too fast": {
			err:    fault.New(fault.RateLimited, "rate_limited", "Slow down.").RetryAfter(1200 * time.Millisecond),
			status: 429,
			body:   map[string]any{"error": "Slow down.", "code": "rate_limited"},
			header: http.Header{"Retry-After": {"2"}},
		},
		"down, without a hint": {
			err:    fault.New(fault.Unavailable, "unavailable", "Later."),
			status: 503,
			body:   map[string]any{"error": "Later.", "code": "unavailable"},
			header: http.Header{"Retry-After": {"1"}},
		},
		"a refusal": {
			err:    problem.RouteNotFound,
			status: 404,
			body:   map[string]any{"error": "There is nothing at this address.", "code": "route_not_found"},
		},
		"an error that nobody foresaw keeps its text to itself": {
			err:    errors.New("pq: connection to 10.0.0.3 refused"),
			status: 500,
			body:   map[string]any{"error": fault.FallbackMessage, "code": "internal"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			rec, c := write(t.Context(), tt.err)
			if rec.Code != tt.status {
				t.Errorf("status %d, want %d", rec.Code, tt.status)
			}
			var got map[string]any
			errtest.None(t, json.Unmarshal(rec.Body.Bytes(), &got))
			tt.body["requestId"] = requestID
			if !reflect.DeepEqual(got, tt.body) {
				t.Errorf("body %v, want %v", got, tt.body)
			}
			for k, v := range tt.header {
				if !reflect.DeepEqual(rec.Header()[k], v) {
					t.Errorf("%s: %q, want %q", k, rec.Header()[k], v)
				}
			}
			if !c.IsAborted() || !errors.Is(c.Errors.Last(), tt.err) {
				t.Error("the chain goes on, or the log would miss the cause")
			}
		})
	}
}

// TestWriteAnswersAClientThatIsTooSlow: net/http cancels its request as if it had gone.
func TestWriteAnswersAClientThatIsTooSlow(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rec, _ := write(ctx, fault.New(fault.Invalid, "body_incomplete", "It did not arrive.").Wrap(os.ErrDeadlineExceeded))
	if rec.Code != http.StatusBadRequest || rec.Body.Len() == 0 {
		t.Errorf("status %d, body %q", rec.Code, rec.Body)
	}
}

func TestWriteSendsNothingToAClientThatLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	rec, c := write(ctx, ctx.Err())
	if rec.Body.Len() != 0 || c.Writer.Status() != problem.StatusClientGone {
		t.Errorf("status %d, body %q", c.Writer.Status(), rec.Body)
	}
}
