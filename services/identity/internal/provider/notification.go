package provider

import (
	"bytes"
	"context"
	"crypto"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"

	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/outside"
)

// Kind is what Apple reports about a person.
type Kind string

// The kinds ("Processing changes for Sign in with Apple accounts" of Apple's documentation).
const (
	EmailDisabled  Kind = "email-disabled"  // the relay forwards no more emails
	EmailEnabled   Kind = "email-enabled"   // it does again
	ConsentRevoked Kind = "consent-revoked" // the person has ended the use of their Apple Account here
	AccountDelete  Kind = "account-delete"  // the Apple Account ends; some documents name it account-deleted
	other          Kind = "other"           // nobody knows it yet
)

// Notification is one report of Apple's.
type Notification struct {
	Kind Kind
	// Subject is the person's id at Apple.
	Subject string
	// Email is the address that a report about emails is about, as package address spells it; may be empty.
	Email string
	// At is when it happened.
	At time.Time
}

// The refusals of Read.
var (
	ErrOff         = fault.New(fault.NotFound, "no_apple", "This installation has no sign-in with Apple.")
	ErrNotApples   = fault.New(fault.Invalid, "invalid_notification", "This is not signed by Apple for this site.")
	errUnavailable = fault.New(fault.Unavailable, "apple_unavailable", "Apple's keys cannot be read right now. Please try again.").RetryAfter(time.Minute)
)

const (
	keysFor = time.Hour
	// keysRetry bounds how often anybody's unknown key id leads to Apple.
	keysRetry = 30 * time.Second
	// keysTimeout bounds how long one question to Apple holds up everybody else's.
	keysTimeout = 3 * time.Second
	leeway      = 5 * time.Minute
)

// Notifications reads what Apple sends.
type Notifications struct {
	place  *place
	http   *http.Client
	clock  clock.Clock
	parser *jwt.Parser

	mu    sync.Mutex
	keys  map[string]crypto.PublicKey
	asked time.Time
	// away is why the latest question had no answer.
	away error
}

// NewNotifications returns a reader; without Apple's settings it refuses all.
func NewNotifications(cfg Config, clk clock.Clock) *Notifications {
	n := &Notifications{http: outside.Client(cfg.Timeout), clock: clk}
	for _, p := range cfg.places() {
		if p.name == Apple {
			n.place = &p
			// Apple documents the client id. The address for notifications is a primary App ID's, though, and they
			// are seen to name that.
			audiences := []string{p.clientID}
			if p.appID != "" {
				audiences = append(audiences, p.appID)
			}
			n.parser = jwt.NewParser(
				jwt.WithValidMethods([]string{"RS256", "ES256"}), jwt.WithIssuer(p.issuer), jwt.WithAudience(audiences...),
				jwt.WithIssuedAt(), jwt.WithLeeway(leeway), jwt.WithTimeFunc(clk.Now))
		}
	}
	return n
}

// Read verifies the body of a notification and returns what it says. It fails with ErrOff,
// ErrNotApples, or Unavailable while Apple's keys cannot be had.
func (n *Notifications) Read(ctx context.Context, body []byte) ([]Notification, error) {
	if n.place == nil {
		return nil, ErrOff
	}
	var sent struct {
		Payload string `json:"payload"`
	}
	if err := json.Unmarshal(body, &sent); err != nil {
		return nil, ErrNotApples.Wrap(err)
	}
	var claims struct {
		jwt.RegisteredClaims
		Events json.RawMessage `json:"events"`
	}
	_, err := n.parser.ParseWithClaims(sent.Payload, &claims, func(t *jwt.Token) (any, error) {
		kid, _ := t.Header["kid"].(string)
		return n.key(ctx, kid)
	})
	switch {
	case errors.Is(err, fault.Unavailable):
		return nil, errUnavailable.Wrap(err)
	case errors.Is(err, jwt.ErrTokenInvalidAudience): // Apple has signed it
		return nil, ErrNotApples.Wrap(fmt.Errorf("it is for %q: is that the primary App ID (APPLE_APP_ID)? %w", claims.Audience, err))
	case err != nil:
		return nil, ErrNotApples.Wrap(err)
	}
	list, err := decode(claims.Events)
	if err != nil {
		return nil, ErrNotApples.Wrap(err)
	}
	return list, nil
}

// decode takes the events. Apple documents a list, and sends one event as a string of JSON.
func decode(events json.RawMessage) ([]Notification, error) {
	var text string
	if json.Unmarshal(events, &text) == nil {
		events = json.RawMessage(text)
	}
	all := []json.RawMessage{events}
	if bytes.HasPrefix(bytes.TrimSpace(events), []byte("[")) {
		if err := json.Unmarshal(events, &all); err != nil {
			return nil, err
		}
	}
	var list []Notification
	for _, event := range all {
		n, err := decodeEvent(event)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// decodeEvent reads of a kind that nobody knows yet that alone.
func decodeEvent(raw json.RawMessage) (Notification, error) {
	var of struct {
		Type Kind `json:"type"`
	}
	if err := json.Unmarshal(raw, &of); err != nil {
		return Notification{}, err
	}
	switch of.Type {
	case EmailDisabled, EmailEnabled, ConsentRevoked, AccountDelete:
	case "account-deleted":
		of.Type = AccountDelete
	default:
		return Notification{Kind: other}, nil
	}
	var event struct {
		Subject   string      `json:"sub"`
		Email     string      `json:"email"`
		EventTime json.Number `json:"event_time"`
	}
	if err := json.Unmarshal(raw, &event); err != nil {
		return Notification{}, err
	}
	stamp, err := event.EventTime.Int64()
	if err != nil || event.Subject == "" {
		return Notification{}, fmt.Errorf("no subject or time: %w", err)
	}
	at := time.Unix(stamp, 0)
	if stamp > 1e11 { // Apple documents seconds, and sends milliseconds
		at = time.UnixMilli(stamp)
	}
	email, _ := address.Parse(event.Email)
	return Notification{Kind: of.Type, Subject: event.Subject, Email: email, At: at.UTC()}, nil
}

// key returns one of Apple's public keys. Those that are known serve on while Apple is away.
func (n *Notifications) key(ctx context.Context, id string) (crypto.PublicKey, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	age := n.clock.Now().Sub(n.asked)
	if _, found := n.keys[id]; n.asked.IsZero() || age >= keysFor || !found && age >= keysRetry {
		n.asked = n.clock.Now()
		keys, err := n.fetch(ctx)
		if n.away = err; err == nil {
			n.keys = keys
		}
	}
	switch known, found := n.keys[id]; {
	case found:
		return known, nil
	case n.away != nil:
		return nil, errUnavailable.Wrap(n.away)
	default:
		return nil, errors.New("unknown key")
	}
}

// fetch asks Apple, also for those who come after a caller that has gone.
func (n *Notifications) fetch(ctx context.Context) (map[string]crypto.PublicKey, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keysTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, n.place.keys, nil)
	if err != nil {
		return nil, err
	}
	resp, err := n.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(raw, &set); err != nil || resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("status %d is no key set", resp.StatusCode)
	}
	keys := map[string]crypto.PublicKey{}
	for _, key := range set.Keys {
		if key.Valid() && key.IsPublic() {
			keys[key.KeyID] = key.Key
		}
	}
	return keys, nil
}
