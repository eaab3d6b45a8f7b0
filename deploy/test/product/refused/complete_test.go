package refused

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"fledge.dev/gateway"
	"fledge.dev/services/platform/errtest"
)

// nameNoField are the operations whose refusals name no field, and why.
var nameNoField = map[string]string{
	"POST /api/auth/revoke":             "RFC 7009: a token that is not good answers 200",
	"POST /api/auth/unlink-provider":    "a provider that is not one of the account's is not found",
	"POST /api/mail-webhook/{provider}": "the provider's report is taken or refused as a whole",
}

// TestEachFieldWithARuleHasAValueThatIsRefused: the rules are those that the description tells
// about the fields of JSON bodies.
func TestEachFieldWithARuleHasAValueThatIsRefused(t *testing.T) {
	t.Parallel()
	doc, err := openapi3.NewLoader().LoadFromData(gateway.OpenAPI)
	errtest.None(t, err)
	var all []row
	for _, rows := range areas("https://fledge.test", anID) {
		all = append(all, rows...)
	}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			fields := ruled(operation)
			if nameNoField[method+" "+path] != "" {
				if len(fields) == 0 {
					t.Errorf("%s %s has no rules, and need not be excepted", method, path)
				}
				continue
			}
			for _, field := range fields {
				if !slices.ContainsFunc(all, func(r row) bool {
					return r.method == method && matches(path, r.path) && slices.Contains(r.fields, field)
				}) {
					t.Errorf("%s %s: no row has a value of %s that is refused", method, path, field)
				}
			}
		}
	}
}

// matches reports whether a path is one of a template such as /api/auth/signin/{provider}.
func matches(template, path string) bool {
	path, _, _ = strings.Cut(path, "?")
	wanted, given := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(wanted, given, func(want, got string) bool { return want == got || strings.HasPrefix(want, "{") })
}

// ruled returns the fields of an operation's JSON body that do not take every value of their
// type.
func ruled(operation *openapi3.Operation) (fields []string) {
	if operation.RequestBody == nil {
		return nil
	}
	media := operation.RequestBody.Value.Content["application/json"]
	if media == nil {
		return nil
	}
	walk(media.Schema.Value, func(name string, field *openapi3.Schema) {
		if hasRule(field) {
			fields = append(fields, name)
		}
	})
	slices.Sort(fields)
	return slices.Compact(fields)
}

// walk visits the fields of an object, of its variants, and of the objects in its lists.
func walk(object *openapi3.Schema, visit func(name string, field *openapi3.Schema)) {
	for _, variant := range variants(object) {
		walk(variant, visit)
	}
	for name, ref := range object.Properties {
		visit(name, ref.Value)
		if ref.Value.Items != nil {
			walk(ref.Value.Items.Value, visit)
		}
	}
}

func variants(schema *openapi3.Schema) (all []*openapi3.Schema) {
	for _, ref := range slices.Concat(schema.AllOf, schema.OneOf, schema.AnyOf) {
		all = append(all, ref.Value)
	}
	return all
}

func hasRule(s *openapi3.Schema) bool {
	return s.MinLength > 0 || s.MaxLength != nil || s.Pattern != "" || s.Format != "" || len(s.Enum) > 0 || s.Const != nil ||
		s.Min != nil || s.Max != nil || s.MinItems > 0 || s.MaxItems != nil || s.UniqueItems ||
		s.Items != nil && hasRule(s.Items.Value) || slices.ContainsFunc(variants(s), hasRule)
}
