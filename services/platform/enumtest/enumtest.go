// Package enumtest compares protobuf enums with the services' own types.
package enumtest

import (
	"slices"
	"testing"

	"fledge.dev/services/platform/enum"
)

// Same fails unless the constants of a service's type are the names of the enum: a name more
// would get into the service, and a constant more would leave it without a name.
func Same[E enum.Enum, S ~string](t testing.TB, constants ...S) {
	t.Helper()
	var own []string
	for _, c := range constants {
		own = append(own, string(c))
	}
	names := enum.Names[E]()
	slices.Sort(own)
	slices.Sort(names)
	if !slices.Equal(names, own) {
		t.Errorf("%T has %v, %T has %v", E(0), names, constants, own)
	}
}
