package audit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"fledge.dev/services/platform/fault"
)

// maxReason is the longest reason in characters.
const maxReason = 500

var errReason = fault.New(fault.Invalid, "invalid_reason", "Give a reason of at most 500 characters.").
	Field("reason", "Give a reason of at most 500 characters.")

// ParseReason returns a reason as it is recorded, without the space around it. There must be
// one, and it must be text: lines may break, other control characters are refused.
func ParseReason(text string) (string, error) {
	reason := strings.TrimSpace(text)
	if !utf8.ValidString(reason) || reason == "" || utf8.RuneCountInString(reason) > maxReason ||
		strings.ContainsFunc(reason, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }) {
		return "", errReason
	}
	return reason, nil
}
