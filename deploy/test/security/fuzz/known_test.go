package fuzz

import (
	"encoding/json"
	"slices"
	"strings"
)

// known are values that answers had, by the name of their field, so that requests
// can be about what exists.
type known map[string][]any

const mostKnown = 20

// of returns what a parameter or field may be; somethingId is any id.
func (k known) of(name string) []any {
	values := k[name]
	if strings.HasSuffix(name, "Id") {
		values = slices.Concat(values, k["id"])
	}
	return values
}

func (k known) learn(answer []byte) {
	var value any
	if json.Unmarshal(answer, &value) == nil {
		k.remember("", value)
	}
}

func (k known) remember(name string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for field, inner := range v {
			k.remember(field, inner)
		}
	case []any:
		for _, inner := range v[:min(len(v), 3)] {
			k.remember(name, inner)
		}
	case string, float64:
		if name != "requestId" && !slices.Contains(k[name], value) {
			k[name] = append(k[name][max(0, len(k[name])-mostKnown+1):], value)
		}
	}
}
