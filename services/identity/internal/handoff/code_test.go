package handoff_test

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/identity/internal/handoff"
	"fledge.dev/services/platform/errtest"
)

// The example of RFC 7636, appendix B.
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	callback  = "fledge://auth/callback"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func code(t *testing.T) handoff.Code {
	t.Helper()
	sum, err := handoff.ParseChallenge(challenge)
	errtest.None(t, err)
	return handoff.Code{Callback: callback, Challenge: sum, CreatedAt: now, ExpiresAt: now.Add(handoff.Lifetime)}
}

func TestVerify(t *testing.T) {
	for name, tc := range map[string]struct {
		verifier, callback string
		after              time.Duration
		used               bool
		want               handoff.Refusal
	}{
		"the example of the RFC":      {verifier, callback, 0, false, handoff.Accepted},
		"at the last moment":          {verifier, callback, handoff.Lifetime - 1, false, handoff.Accepted},
		"after a minute":              {verifier, callback, handoff.Lifetime, false, handoff.Expired},
		"again":                       {verifier, callback, 0, true, handoff.Reused},
		"again after a minute":        {verifier, callback, time.Hour, true, handoff.Reused},
		"again for another callback":  {verifier, "x", 0, true, handoff.Reused},
		"again by a stranger":         {strings.Repeat("a", 43), callback, 0, true, handoff.WrongVerifier},
		"another callback":            {verifier, callback + "/", 0, false, handoff.WrongCallback},
		"no callback":                 {verifier, "", 0, false, handoff.WrongCallback},
		"another verifier":            {verifier[1:] + "A", callback, 0, false, handoff.WrongVerifier},
		"no verifier":                 {"", callback, 0, false, handoff.WrongVerifier},
		"the challenge as a verifier": {challenge, callback, 0, false, handoff.WrongVerifier},
		"too old and by a stranger":   {strings.Repeat("a", 43), callback, time.Hour, false, handoff.WrongVerifier},
	} {
		c := code(t)
		c.Used = tc.used
		if got := c.Verify(tc.verifier, tc.callback, now.Add(tc.after)); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

func TestVerifiersHaveTheFormOfTheRFC(t *testing.T) {
	for v, want := range map[string]handoff.Refusal{
		strings.Repeat("a", 43): handoff.Accepted, strings.Repeat("~", 128): handoff.Accepted, "-._~" + strings.Repeat("9", 39): handoff.Accepted,
		strings.Repeat("a", 42): handoff.WrongVerifier, strings.Repeat("a", 129): handoff.WrongVerifier,
		strings.Repeat("a", 42) + "+": handoff.WrongVerifier, strings.Repeat("a", 42) + "\n": handoff.WrongVerifier, strings.Repeat("é", 30): handoff.WrongVerifier,
	} {
		sum := sha256.Sum256([]byte(v))
		c := code(t)
		c.Challenge = sum[:]
		if got := c.Verify(v, callback, now); got != want {
			t.Errorf("%q: %q, want %q", v, got, want)
		}
	}
}

func TestOnlyAHashIsAChallenge(t *testing.T) {
	for _, bad := range []string{
		"", challenge[1:], challenge + "A", challenge + "=", challenge[:42] + "+", challenge[:42] + "N",
		base64.StdEncoding.EncodeToString(make([]byte, 32)), "\n" + challenge,
	} {
		if _, err := handoff.ParseChallenge(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
