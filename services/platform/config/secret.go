package config

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Secret is a value that never prints itself: fmt, slog and JSON all show
// "[redacted]". Use Reveal where the value is really needed.
type Secret string

const redacted = "[redacted]"

// Reveal returns the secret's value.
func (s Secret) Reveal() string { return string(s) }

// Split returns the secrets of a list with commas between, such as the new one and
// the old one while a secret is rotated.
func (s Secret) Split() (list [][]byte) {
	for secret := range strings.SplitSeq(string(s), ",") {
		if secret = strings.TrimSpace(secret); secret != "" {
			list = append(list, []byte(secret))
		}
	}
	return list
}

// First returns the newest secret of a list, which this program shows to others.
func (s Secret) First() string {
	if list := s.Split(); len(list) > 0 {
		return string(list[0])
	}
	return ""
}

// Has reports whether given is a secret of the list. How long that takes says nothing of them.
func (s Secret) Has(given string) bool {
	found, sum := 0, sha256.Sum256([]byte(given))
	for _, secret := range s.Split() {
		want := sha256.Sum256(secret)
		found |= subtle.ConstantTimeCompare(sum[:], want[:])
	}
	return found == 1
}

// Shorter reports whether a secret of the list has fewer than n bytes, or whether there is none.
func (s Secret) Shorter(n int) bool {
	list := s.Split()
	return len(list) == 0 || slices.ContainsFunc(list, func(secret []byte) bool { return len(secret) < n })
}

// String hides the value.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// Format hides the value from every verb. With String alone, fmt would show it for
// those that are wrong for a text, such as %d.
func (s Secret) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, s.String()) }

// MarshalText hides the value from encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the value from the environment.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = Secret(text)
	return nil
}
