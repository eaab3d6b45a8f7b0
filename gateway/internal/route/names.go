package route

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"fledge.dev/services/platform/fault"
)

// Names are the names that callers know fields by, where a service has others. A service's
// lower_snake_case is the interface's lowerCamelCase without a row here.
type Names map[string]string

// In returns a service's failure with the fields as the caller knows them: in the list of
// fields, and in the code and the sentence of a failure that is about one field.
func (n Names) In(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || len(f.Fields) == 0 {
		return err
	}
	renamed := *f
	renamed.Fields = slices.Clone(f.Fields)
	for i, field := range f.Fields {
		name, ok := n[field.Name]
		if !ok {
			name = camel(field.Name)
		}
		renamed.Fields[i].Name = name
		if f.Reason == "invalid_"+field.Name {
			renamed.Reason = "invalid_" + snake(name)
		}
		renamed.Message = strings.Replace(renamed.Message, about(field.Name), about(name), 1)
	}
	return &renamed
}

// camel turns lower_snake_case into lowerCamelCase.
func camel(name string) string {
	parts := strings.Split(name, "_")
	for i, part := range parts[1:] {
		if part != "" {
			parts[i+1] = string(unicode.ToUpper(rune(part[0]))) + part[1:]
		}
	}
	return strings.Join(parts, "")
}
