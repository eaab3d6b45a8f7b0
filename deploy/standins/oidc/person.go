package oidc

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"net/mail"
	"strings"
)

// Person is one of the ready choices on the page.
type Person struct {
	// Email signs in as verified.
	Email string
	// Note tells what the person is for.
	Note string
}

// People are the accounts that the local stack prepares, and one it does not know.
func People() []Person {
	return []Person{
		{Email: "admin@fledge.test", Note: "Has the admin role"},
		{Email: "tester@fledge.test", Note: "Approved beta tester"},
		{Email: "newcomer@fledge.test", Note: "Nobody knows them yet"},
	}
}

// choice is what somebody picked on the page.
type choice struct {
	email    string
	verified bool
	// whose is the address whose subject signs in: somebody whose address has changed. "" is email.
	whose string
	// refused gives the site a code for which it gets no tokens, as one with a wrong secret.
	refused bool
}

// maxEmail is the longest address of RFC 5321.
const maxEmail = 254

func parseEmail(s string) (string, error) {
	s = strings.TrimSpace(s)
	addr, err := mail.ParseAddress(s)
	if err != nil || addr.Address != s || len(s) > maxEmail {
		return "", fmt.Errorf("%q is not an email address", s)
	}
	return s, nil
}

// displayName is the part before the @, the only name a made-up account has.
func displayName(email string) string {
	local, _, _ := strings.Cut(email, "@")
	return local
}

// Subjects look like the real ones: 21 decimal digits, and Apple's dotted form.
func googleSubject(email string) string {
	sum := subjectHash("google", email)
	n := new(big.Int).SetBytes(sum[:])
	limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(20), nil)
	return "1" + fmt.Sprintf("%020d", n.Mod(n, limit))
}

func appleSubject(email string) string {
	sum := hex.EncodeToString(func() []byte { s := subjectHash("apple", email); return s[:] }())
	return fmt.Sprintf("%06d.%s.%04d", int(sum[0])*1000, sum[:32], int(sum[1])*7)
}

func subjectHash(issuer, email string) [sha256.Size]byte {
	return sha256.Sum256([]byte(issuer + "\x00" + strings.Map(asciiLower, email)))
}

// asciiLower leaves what Unicode folds to an ASCII letter, such as the Kelvin sign: that is another mailbox.
func asciiLower(r rune) rune {
	if 'A' <= r && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}
