package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

type schema struct {
	Name, Description, Type string
	Fields                  []field
}

type field struct {
	Name, Type, Description string
	Required                bool
}

func schemas(doc *openapi3.T) []schema {
	var all []schema
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		s := doc.Components.Schemas[name]
		all = append(all, schema{Name: name, Description: s.Value.Description, Type: typeOf(&openapi3.SchemaRef{Value: s.Value}), Fields: fields(s.Value)})
	}
	return all
}

func fields(s *openapi3.Schema) []field {
	var all []field
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		all = append(all, field{Name: name, Type: typeOf(p), Description: p.Value.Description, Required: slices.Contains(s.Required, name)})
	}
	return all
}

// typeOf says in a few words what values a schema takes.
func typeOf(ref *openapi3.SchemaRef) string {
	if ref == nil || ref.Value == nil {
		return "anything"
	}
	if ref.Ref != "" {
		return refName(ref.Ref)
	}
	s := ref.Value
	switch {
	case len(s.Enum) > 0:
		return enum(s.Enum)
	case s.Const != nil:
		return fmt.Sprint(s.Const)
	case len(s.AnyOf)+len(s.OneOf) > 0:
		var parts []string
		for _, part := range slices.Concat(s.AnyOf, s.OneOf) {
			parts = append(parts, typeOf(part))
		}
		return strings.Join(parts, " or ")
	case s.Type == nil:
		return "anything"
	case s.Type.Is("array"):
		return "list of " + typeOf(s.Items)
	}
	text := strings.Join(s.Type.Slice(), " or ")
	if s.Format != "" {
		text += " (" + s.Format + ")"
	}
	return text
}

func enum(values []any) string {
	var parts []string
	for _, v := range values {
		if v != "" {
			parts = append(parts, fmt.Sprint(v))
		}
	}
	return strings.Join(parts, " | ")
}

func refName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

func content(c openapi3.Content) string {
	var parts []string
	for _, mediaType := range slices.Sorted(maps.Keys(c)) {
		text := typeOf(c[mediaType].Schema)
		if mediaType != "application/json" {
			text = mediaType
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " or ")
}
