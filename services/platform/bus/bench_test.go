package bus_test

import (
	"testing"

	"github.com/google/uuid"

	"fledge.dev/services/platform/bus"
)

// BenchmarkEncode makes an outbox row of an event.
func BenchmarkEncode(b *testing.B) {
	event := staffAction(uuid.NewString())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := bus.Encode(b.Context(), event); err != nil {
			b.Fatal(err)
		}
	}
}
