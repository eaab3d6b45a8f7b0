// Package invitation has the tokens in the links of approval emails. Whoever has one reads
// the email of the address that was approved.
package invitation

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"time"
)

// Lifetime is how long a token is valid after its email was queued.
const Lifetime = 90 * day

// The bounds of what an installation may say about an invitation: a link has to work that long.
const (
	// LongestTerm is the longest time until an unused invitation ends.
	LongestTerm = Lifetime - 2*day
	// LatestReminder is the longest time until its person is reminded: reminders go out for twice as long.
	LatestReminder = 30 * day
)

const (
	day       = 24 * time.Hour
	tokenSize = 32
)

// lastDay is how long after its beginning in UTC a day lasts in the zone where it ends last, UTC-12.
const lastDay = day + 12*time.Hour

// End returns when an invitation of that time and term ends: at the end of a day, wherever its person is.
func End(sent time.Time, term time.Duration) time.Time {
	return sent.UTC().Add(term).Truncate(day).Add(lastDay)
}

// LastDay names the day at whose end the invitation ends, such as "24 December 2026".
func LastDay(end time.Time) string { return end.UTC().Add(-lastDay).Format("2 January 2006") }

// New makes a token of 256 random bits, as base64url, and its hash.
func New() (token string, hash []byte) {
	random := make([]byte, tokenSize)
	_, _ = rand.Read(random) // never fails
	token = base64.RawURLEncoding.EncodeToString(random)
	return token, hashOf(token)
}

// Hash returns the hash under which a presented token is stored; ok is false if it does not
// have the form of a token.
func Hash(token string) (hash []byte, ok bool) {
	random, err := base64.RawURLEncoding.Strict().DecodeString(token)
	// The decoder skips line breaks, so both lengths count.
	if err != nil || len(random) != tokenSize || len(token) != base64.RawURLEncoding.EncodedLen(tokenSize) {
		return nil, false
	}
	return hashOf(token), true
}

func hashOf(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
