package stripe

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

const (
	// tolerance is how far a signature's time may be from ours, either way.
	tolerance     = 300 * time.Second
	maxHeader     = 8 << 10
	maxSignatures = 20
	maxID         = 255
	// maxTime is the end of the year 9999, in seconds.
	maxTime = 253_402_300_799
)

// The reasons to reject a delivery.
var (
	ErrSignature = errors.New("stripe: the signature is not valid")
	ErrMalformed = errors.New("stripe: signed, but not an event")
	// ErrThin is for an event that only names what has happened, as an endpoint that was made for thin payloads gets them.
	ErrThin = errors.New("stripe: signed, but a thin event")
)

// Event is the part of an event that says what to ask Stripe about. The rest may be
// outdated when it is read.
type Event struct {
	ID, Type string
	Live     bool
	Created  time.Time
	// Object is the id of what it is about.
	Object string
	// Account is the connected account where it has happened, "" for our own: with our key, Stripe does not know the object.
	Account string
}

// Verifier tells what Stripe has signed from what it has not.
type Verifier struct {
	secrets [][]byte
}

// NewVerifier returns a verifier with the secrets of cfg. Without any, nothing
// is valid.
func NewVerifier(cfg Config) *Verifier { return &Verifier{secrets: cfg.WebhookSecrets.Split()} }

// Verify checks a Stripe-Signature header over the payload's exact bytes and reads
// the event. ErrSignature, or for what is signed ErrThin and, if it is no event, ErrMalformed.
// https://docs.stripe.com/webhooks#verify-manually; unlike Stripe's SDK it refuses
// times in the future, too.
func (v *Verifier) Verify(payload []byte, header string, now time.Time) (Event, error) {
	timestamp, signatures, err := parseHeader(header)
	if err != nil {
		return Event{}, err
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || seconds < 0 || seconds > 1<<40 {
		return Event{}, ErrSignature
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > tolerance || age < -tolerance {
		return Event{}, ErrSignature
	}
	if !v.signed(payload, timestamp, signatures) {
		return Event{}, ErrSignature
	}
	return parseEvent(payload)
}

// signed compares every signature with every secret, in the same time whichever
// is right.
func (v *Verifier) signed(payload []byte, timestamp string, signatures [][]byte) bool {
	valid := false
	for _, secret := range v.secrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(timestamp))
		mac.Write([]byte{'.'})
		mac.Write(payload)
		want := mac.Sum(nil)
		for _, signature := range signatures {
			if hmac.Equal(want, signature) {
				valid = true
			}
		}
	}
	return valid
}

// parseHeader reads "t=1700000000,v1=…,v1=…". Other schemes are ignored.
func parseHeader(header string) (timestamp string, signatures [][]byte, err error) {
	if len(header) > maxHeader {
		return "", nil, ErrSignature
	}
	entries := 0
	for part := range strings.SplitSeq(header, ",") {
		key, value, ok := strings.Cut(part, "=")
		if entries++; !ok || entries > maxSignatures+1 {
			return "", nil, ErrSignature
		}
		switch key {
		case "t":
			if timestamp != "" {
				return "", nil, ErrSignature
			}
			timestamp = value
		case "v1":
			if signature, err := hex.DecodeString(value); err == nil {
				signatures = append(signatures, signature)
			}
		}
	}
	if timestamp == "" || len(signatures) == 0 {
		return "", nil, ErrSignature
	}
	return timestamp, signatures, nil
}

func parseEvent(payload []byte) (Event, error) {
	var raw struct {
		ID       string `json:"id"`
		Object   string `json:"object"`
		Type     string `json:"type"`
		Livemode *bool  `json:"livemode"`
		Created  int64  `json:"created"`
		Account  string `json:"account"`
		Data     struct {
			Object json.RawMessage `json:"object"`
		} `json:"data"`
	}
	err := json.Unmarshal(payload, &raw)
	if raw.Object == "v2.core.event" { // whose fields have other types
		return Event{}, ErrThin
	}
	if err != nil || raw.Object != "event" || raw.Livemode == nil || raw.Created < 0 || raw.Created > maxTime ||
		!strings.HasPrefix(raw.ID, "evt_") || !isWord(raw.ID) || !isWord(raw.Type) {
		return Event{}, ErrMalformed
	}
	return Event{ID: raw.ID, Type: raw.Type, Live: *raw.Livemode, Created: moment(raw.Created), Object: objectID(raw.Data.Object), Account: raw.Account}, nil
}

// objectID is the id of an object, "" for one that has none that can be asked for.
func objectID(raw json.RawMessage) string {
	var object struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(raw, &object); err != nil || !isWord(object.ID) {
		return ""
	}
	return object.ID
}

// isWord keeps what could not be an id or a type out of paths, logs and the database.
func isWord(s string) bool {
	return s != "" && len(s) <= maxID && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '.' && r != '-'
	})
}
