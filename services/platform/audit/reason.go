package audit

import (
	"unicode/utf8"

	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/text"
)

// maxReason is the longest reason in characters.
const maxReason = 500

var errReason = fault.InvalidField("reason", "Give a reason of at most 500 characters.")

// ParseReason returns a reason as it is recorded: what people paste with it and do not see is removed. There must be
// one.
func ParseReason(typed string) (string, error) {
	if !utf8.ValidString(typed) {
		return "", errReason
	}
	reason := text.Clean(typed)
	if reason == "" || utf8.RuneCountInString(reason) > maxReason {
		return "", errReason
	}
	return reason, nil
}
