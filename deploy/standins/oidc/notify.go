package oidc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	jose "github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/google/uuid"
)

const notificationsPath = "/notifications"

// SitePath is where the site takes Apple's notifications.
const SitePath = "/api/auth/apple-notification"

// notifier tells the site what a person did with their account at the provider ("Processing changes
// for Sign in with Apple accounts" of Apple's documentation): a POST with the fields email and
// type, and optionally at, the seconds since 1970. It answers what the site did.
type notifier struct {
	kind   *kind
	issuer string
	key    signingKey
	site   string
}

func (n notifier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 16<<10)
	email, err := parseEmail(r.PostFormValue("email"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	at := time.Now()
	if seconds, err := strconv.ParseInt(r.PostFormValue("at"), 10, 64); err == nil {
		at = time.Unix(seconds, 0)
	}
	payload, err := n.sign(r.PostFormValue("type"), email, at)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	body, err := json.Marshal(map[string]string{"payload": payload})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	req, err := http.NewRequestWithContext(r.Context(), http.MethodPost, n.site+SitePath, bytes.NewReader(body))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Timeout: 10 * time.Second}).Do(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body) // whoever asked went away
}

// sign makes the token; Apple writes the event as a string of JSON, with milliseconds.
func (n notifier) sign(event, email string, at time.Time) (string, error) {
	events, err := json.Marshal(map[string]any{
		"type": event, "sub": n.kind.subject(email), "email": email, "is_private_email": "true", "event_time": at.UnixMilli(),
	})
	if err != nil {
		return "", fmt.Errorf("notification: %w", err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: n.key.SignatureAlgorithm(), Key: jose.JSONWebKey{Key: n.key.key, KeyID: n.key.id}}, nil)
	if err != nil {
		return "", fmt.Errorf("notification: %w", err)
	}
	return jwt.Signed(signer).Claims(map[string]any{
		"iss": n.issuer, "aud": n.kind.clientID, "iat": time.Now().Unix(), "jti": uuid.NewString(), "events": string(events),
	}).Serialize()
}
