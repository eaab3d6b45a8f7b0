package limits_test

import (
	"net/netip"
	"testing"
	"time"

	"fledge.dev/gateway/internal/limits"
	"fledge.dev/services/platform/clock"
)

func TestBusiest(t *testing.T) {
	now := clock.NewFake(start.Truncate(time.Minute))
	b := limits.NewBusiest(now)
	count := func(client string, times int) {
		for range times {
			b.Count(netip.MustParseAddr(client))
		}
	}
	part := func(when string, want float64) {
		t.Helper()
		if got := b.Part(); got != want {
			t.Errorf("%s: %v, want %v", when, got, want)
		}
	}
	count("203.0.113.1", 3)
	count("::ffff:203.0.113.1", 3)
	count("2001:db8::1", 1)
	count("2001:db8::2", 1)
	part("before a minute is over", 0)
	now.Advance(time.Minute)
	part("after it", 0.75)
	count("203.0.113.1", 1)
	count("203.0.113.2", 1)
	part("in the next one", 0.75)
	now.Advance(time.Minute)
	part("after the next one", 0.5)
	now.Advance(time.Minute)
	part("after a minute without requests", 0)
	count("203.0.113.1", 1)
	now.Advance(5 * time.Minute)
	part("long after", 0)
}
