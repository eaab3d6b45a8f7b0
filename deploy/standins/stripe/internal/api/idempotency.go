package api

import (
	"net/http"
	"sync"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

// maxKey is how long an idempotency key may be.
const maxKey = 255

// running holds the keys of requests that have not been answered.
type running struct {
	mu   sync.Mutex
	keys map[string]bool
}

func newRunning() *running { return &running{keys: map[string]bool{}} }

func (r *running) enter(key string) (release func(), err error) {
	if len(key) > maxKey {
		return nil, account.Refuse("", "", "The idempotency key provided is too long: it may have %d characters.", maxKey)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keys[key] {
		return nil, &account.Error{
			Status: http.StatusConflict, Type: "invalid_request_error", Code: "idempotency_key_in_use",
			Text: "There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): " + key + ". Please try again later.",
		}
	}
	r.keys[key] = true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.keys, key)
	}, nil
}

// replay gives the answer of before to the same request, and refuses another one.
func replay(header http.Header, earlier *account.Answer, request string) (int, []byte, error) {
	if earlier.Request != request {
		return 0, nil, &account.Error{
			Status: http.StatusBadRequest, Type: "idempotency_error",
			Text: "Keys for idempotent requests can only be used with the same endpoint and the same parameters they were first used with. Try using a key other than '" + earlier.IdempotencyKey + "' if you meant to execute a different request.",
		}
	}
	header.Set("Idempotent-Replayed", "true")
	if earlier.Status >= http.StatusInternalServerError {
		header.Set("Stripe-Should-Retry", "false")
	}
	return earlier.Status, earlier.Body, nil
}
