package entry_test

import (
	"os"
	"strings"
	"testing"

	"fledge.dev/services/waitlist/internal/entry"
)

// TestTheWordsOfTheConsentAreThoseThatPeopleRead on the form and in the email. Whoever changes one of
// them changes entry.Consent, too.
func TestTheWordsOfTheConsentAreThoseThatPeopleRead(t *testing.T) {
	for file, words := range map[string][]string{
		"../../../../web/src/components/waitlist-form/waitlist-form.tsx": entry.ConsentWords.Form,
		"../email/templates/confirm.txt":                                 entry.ConsentWords.Email,
	} {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(strings.Fields(strings.ReplaceAll(string(raw), "&apos;", "'")), " ")
		for _, sentence := range words {
			if !strings.Contains(text, sentence) {
				t.Errorf("%s does not say %q", file, sentence)
			}
		}
	}
}
