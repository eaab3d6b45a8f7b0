package github

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
)

// releaseEvent is the webhook event about releases.
const releaseEvent = "release"

// maxEvent bounds a delivery in bytes.
const maxEvent = 1 << 20

// The reasons not to take a delivery.
var (
	ErrNoWebhook = errors.New("github: no webhook is set up")
	ErrSignature = errors.New("github: the signature is not valid")
)

// Webhook tells what GitHub has signed from what it has not
// (https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries).
// A signature has no time in it, so a delivery can be played back; all that it can
// do is to have us look at GitHub. So nothing of what it says is read, not even which repository
// it names: ours may have been renamed.
type Webhook struct {
	secrets [][]byte
}

// Verify checks the value of X-Hub-Signature-256 over the payload's exact bytes and
// reports whether the event is about releases.
func (w Webhook) Verify(payload []byte, signature, event string) (relevant bool, err error) {
	switch {
	case len(w.secrets) == 0:
		return false, ErrNoWebhook
	case len(payload) > maxEvent || !w.signed(payload, signature):
		return false, ErrSignature
	}
	return event == releaseEvent, nil
}

// signed compares with every secret, in the same time whichever is right.
func (w Webhook) signed(payload []byte, signature string) bool {
	digits, ok := strings.CutPrefix(signature, "sha256=")
	given, err := hex.DecodeString(digits)
	if !ok || err != nil {
		return false
	}
	valid := false
	for _, secret := range w.secrets {
		mac := hmac.New(sha256.New, secret)
		mac.Write(payload)
		if hmac.Equal(mac.Sum(nil), given) {
			valid = true
		}
	}
	return valid
}
