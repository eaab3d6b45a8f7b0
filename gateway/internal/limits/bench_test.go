package limits_test

import (
	"net/netip"
	"testing"

	"fledge.dev/gateway/internal/limits"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
)

// BenchmarkTake takes a token for clients of a busy day.
func BenchmarkTake(b *testing.B) {
	buckets := limits.NewPerClient(limits.Rate{PerMinute: 1e9, Burst: 1e9}, clock.System())
	addresses := make([]netip.Addr, 20_000) // more than are remembered
	for i := range addresses {
		addresses[i] = netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)})
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := buckets.Take(addresses[i%len(addresses)]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEnter takes a place and gives it back.
func BenchmarkEnter(b *testing.B) {
	places := limits.NewInFlight(512, 64)
	client := netip.AddrFrom4([4]byte{203, 0, 113, 7})
	b.ReportAllocs()
	for b.Loop() {
		errtest.None(b, places.Enter(client))
		places.Leave(client)
	}
}
