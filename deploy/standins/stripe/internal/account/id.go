package account

import "crypto/rand"

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// NewID returns an identifier as Stripe makes them: a prefix that tells the kind,
// and characters that mean nothing.
func NewID(prefix string) string { return prefix + secret(24) }

func secret(length int) string {
	random := make([]byte, length)
	_, _ = rand.Read(random) // never fails: crypto/rand ends the process instead
	for i, b := range random {
		random[i] = base62[int(b)%len(base62)]
	}
	return string(random)
}
