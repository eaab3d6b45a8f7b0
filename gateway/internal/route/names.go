package route

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"fledge.dev/services/platform/fault"
)

// Names gives a field the name that callers know it by. A service's faults name the fields as
// its .proto does, in lower_snake_case; what a route answers has them through the Names of its
// row, CamelCase if the row has none. Names that are the caller's already stay as they are.
type Names func(field string) string

// CamelCase is the rule: lower_snake_case becomes lowerCamelCase.
func CamelCase(field string) string {
	parts := strings.Split(field, "_")
	for i, part := range parts[1:] {
		if part != "" {
			parts[i+1] = string(unicode.ToUpper(rune(part[0]))) + part[1:]
		}
	}
	return strings.Join(parts, "")
}

// SnakeCase is for interfaces whose names are those of OAuth (RFC 6749).
func SnakeCase(field string) string { return field }

// But is CamelCase with other names for some fields.
func But(others map[string]string) Names {
	return func(field string) string {
		if name, ok := others[field]; ok {
			return name
		}
		return CamelCase(field)
	}
}

// Named gives the names to all rows that have none of their own.
func Named(names Names, rows []Route) []Route {
	for i := range rows {
		if rows[i].Names == nil {
			rows[i].Names = names
		}
	}
	return rows
}

// In returns a failure with the fields as the caller knows them: in the list of fields, and in
// the code and the sentences of a failure about them.
func (n Names) In(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || len(f.Fields) == 0 {
		return err
	}
	if n == nil {
		n = CamelCase
	}
	renamed := *f
	renamed.Fields = slices.Clone(f.Fields)
	for i, field := range f.Fields {
		name := n(field.Name)
		say := func(sentence string) string { return strings.Replace(sentence, about(field.Name), about(name), 1) }
		if f.Reason == "invalid_"+field.Name {
			renamed.Reason = "invalid_" + snake(name)
		}
		renamed.Message = say(renamed.Message)
		renamed.Fields[i] = fault.Field{Name: name, Message: say(field.Message)}
	}
	return &renamed
}
