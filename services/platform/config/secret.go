package config

import (
	"fmt"
	"io"
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
