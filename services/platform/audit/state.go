package audit

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

// maxText is the longest text of a state in bytes.
const maxText = 200

// State is a part of a thing as it was or became: small values by their fields, which are
// among the service's Terms.
type State map[string]any

// encode returns the state as a JSON object, or "" for nil.
func (l Log) encode(s State) (string, error) {
	if s == nil {
		return "", nil
	}
	for name, value := range s {
		if !slices.Contains(l.terms.Fields, name) {
			return "", fmt.Errorf("audit: %q is not among the fields of %s", name, l.service)
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
