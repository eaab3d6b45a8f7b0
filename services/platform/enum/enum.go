// Package enum names the values of protobuf enums as the HTTP interface and the services'
// own types do: without the enum's prefix, in lower case. STATUS_IN_PROGRESS is "in_progress".
package enum

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Enum is a generated type of a protobuf enum.
type Enum interface {
	~int32
	protoreflect.Enum
}

// Name returns the value's name. It is "" for the unspecified value and for a number that
// the enum does not have.
func Name[E Enum](value E) string {
	if value == 0 {
		return ""
	}
	values := value.Descriptor().Values()
	v := values.ByNumber(value.Number())
	if v == nil {
		return ""
	}
	return strings.ToLower(strings.TrimPrefix(string(v.Name()), prefix(values)))
}

// Of returns the value of that name: the unspecified one, which is zero, for "" and for a name
// that the enum does not have.
func Of[E Enum, S ~string](name S) E {
	values := E(0).Descriptor().Values()
	v := values.ByName(protoreflect.Name(prefix(values) + strings.ToUpper(string(name))))
	if v == nil || Name(E(v.Number())) != string(name) { // as for another case
		return 0
	}
	return E(v.Number())
}

// Names lists the names that Of knows, in the enum's order.
func Names[E Enum]() []string {
	values := E(0).Descriptor().Values()
	var names []string
	for i := range values.Len() {
		if name := Name(E(values.Get(i).Number())); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// prefix is what all names of the enum begin with.
func prefix(values protoreflect.EnumValueDescriptors) string {
	return strings.TrimSuffix(string(values.ByNumber(0).Name()), "UNSPECIFIED")
}
