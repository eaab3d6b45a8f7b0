package entry_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/waitlist/internal/entry"
)

// hashes has the SHA-256 of the words of each consent. One that was released is not changed: other words get another name.
var hashes = map[string]string{
	"2026-11": "88a83307c8d9d1ff789be395c4a1d006d3060402edc076c139b43164c2f8441d",
}

func TestOtherWordsAreAnotherConsent(t *testing.T) {
	words, err := json.Marshal(entry.ConsentWords)
	errtest.None(t, err)
	hash := sha256.Sum256(words)
	if got := hex.EncodeToString(hash[:]); got != hashes[entry.Consent] {
		t.Errorf("the words of %q have the hash %s: change entry.Consent with them, and add a line", entry.Consent, got)
	}
}

// TestTheWordsOfTheConsentAreThoseThatPeopleRead on the form and in the email.
func TestTheWordsOfTheConsentAreThoseThatPeopleRead(t *testing.T) {
	for file, words := range map[string][]string{
		"../../../../web/src/components/waitlist-form/waitlist-form.tsx": entry.ConsentWords.Form,
		"../email/templates/confirm.txt":                                 entry.ConsentWords.Email,
	} {
		raw, err := os.ReadFile(file)
		errtest.None(t, err)
		text := strings.Join(strings.Fields(strings.ReplaceAll(string(raw), "&apos;", "'")), " ")
		for _, sentence := range words {
			if !strings.Contains(text, sentence) {
				t.Errorf("%s does not say %q", file, sentence)
			}
		}
	}
}
