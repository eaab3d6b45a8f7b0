package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// signature is the Stripe-Signature header: the time, and an HMAC-SHA256 over
// "time.body" for each secret. In test mode Stripe adds one of the scheme v0,
// which nobody may accept.
func (s *Sender) signature(body []byte, sign string) string {
	at := strconv.FormatInt(s.opts.Now().Unix(), 10)
	secrets := []string{s.opts.Secret}
	switch sign {
	case SignOld:
		secrets = []string{s.opts.OldSecret}
	case SignBoth:
		secrets = []string{s.opts.OldSecret, s.opts.Secret}
	}
	parts := []string{"t=" + at}
	for _, secret := range secrets {
		parts = append(parts, "v1="+mac(secret, at, body))
	}
	return strings.Join(append(parts, "v0="+mac("v0", at, body)), ",")
}

func mac(secret, at string, body []byte) string {
	hash := hmac.New(sha256.New, []byte(secret))
	hash.Write([]byte(at + "."))
	hash.Write(body)
	return hex.EncodeToString(hash.Sum(nil))
}
