package mac

import (
	"fmt"
	"strings"
	"unicode"
)

// Refusal is an error that the site sent to the callback instead of a code.
type Refusal struct {
	// Reason is `error`: a code of OAuth 2.0 or of the site, or words.
	Reason string
	// Code is `error_code` and Description `error_description`; both may be empty.
	Code, Description string
}

// refusals are the texts for the site's error codes. For other codes the person sees the
// site's own description.
var refusals = map[string]string{
	"access_denied":       "the sign-in was cancelled, or the provider did not confirm it",
	"email_not_verified":  "your email address is not verified at the provider: verify it there, then sign in again",
	"account_disabled":    "this account is disabled: write to support",
	"sign_in_expired":     "the sign-in took too long: start again",
	"sign_in_interrupted": "another sign-in was started in the same browser: start again",
}

func newRefusal(from map[string]string) *Refusal {
	return &Refusal{Reason: readable(from["error"]), Code: readable(from["error_code"]), Description: readable(from["error_description"])}
}

func (r *Refusal) Error() string {
	for _, key := range []string{r.Code, r.Reason} {
		if words, known := refusals[key]; known {
			return words
		}
	}
	if r.Description == "" || r.Description == r.Reason {
		return "the site says: " + r.Reason
	}
	return fmt.Sprintf("the site says: %s (%s)", r.Description, r.Reason)
}

const maxReadable = 512 // characters

// readable makes text from outside fit for a terminal or a dialog: one line, no
// control characters, of bounded length.
func readable(text string) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, text)
	runes := []rune(strings.TrimSpace(clean))
	return string(runes[:min(len(runes), maxReadable)])
}
