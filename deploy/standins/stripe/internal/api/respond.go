package api

import (
	"encoding/json"
	"errors"
	"net/http"

	"fledge.dev/deploy/standins/stripe/internal/account"
)

type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func writeBody(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache, no-store")
	w.WriteHeader(status)
	_, _ = w.Write(body) //nolint:gosec // G705: JSON, which no browser renders; a write that fails has lost its client
}

func writeError(w http.ResponseWriter, err error) {
	status, body := encodeError(err)
	writeBody(w, status, body)
}

// encodeError writes an error as Stripe does. One that is not Stripe's own is the
// stand-in's trouble.
func encodeError(err error) (status int, body []byte) {
	var refusal *account.Error
	if !errors.As(err, &refusal) {
		refusal = &account.Error{Status: http.StatusInternalServerError, Type: "api_error", Text: err.Error()}
	}
	object := map[string]any{"type": refusal.Type, "message": refusal.Text}
	for name, value := range map[string]string{"code": refusal.Code, "param": refusal.Param, "decline_code": refusal.Decline} {
		if value != "" {
			object[name] = value
		}
	}
	if refusal.Code != "" {
		object["doc_url"] = "https://stripe.com/docs/error-codes/" + refusal.Code
	}
	body, _ = json.MarshalIndent(map[string]any{"error": object}, "", "  ") // strings can be encoded
	return refusal.Status, body
}
