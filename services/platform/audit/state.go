package audit

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// maxText is the longest text of a state in bytes.
const maxText = 200

// State is a part of a thing as it was or became: small values by their names. A
// name that is not in the list below cannot be recorded, so that nothing gets into
// the log that nobody thought about: no message of a customer, no token, no address.
type State map[string]any

var names = map[string]bool{
	// States and settings of things.
	"status": true, "roles": true, "source": true, "is_available": true, "version": true, "percentage": true, "priority": true,
	// Whether an answer was sent along; not what it says.
	"responded": true,
	// What an import did.
	"added": true, "known": true, "invalid": true, "first_line": true, "last_line": true,
}

// encode returns the state as a JSON object, or "" for nil.
func (s State) encode() (string, error) {
	if s == nil {
		return "", nil
	}
	for name, value := range s {
		if !names[name] {
			return "", fmt.Errorf("audit: %q is not among the names that may be recorded", name)
		}
		if !small(value) {
			return "", fmt.Errorf("audit: %q is not a yes or no, a number, a short text or a list of some", name)
		}
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("audit: %w", err)
	}
	return string(raw), nil
}

func small(value any) bool {
	switch v := value.(type) {
	case bool, int, int32, int64:
		return true
	case string:
		return len(v) <= maxText && utf8.ValidString(v)
	case []string:
		for _, text := range v {
			if !small(text) {
				return false
			}
		}
		return len(v) <= 10
	default:
		return false
	}
}
