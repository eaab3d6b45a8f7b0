package door

import (
	"errors"
	"fmt"
	"net/netip"
	"testing"
)

// TestASmallBodyThatIsAnsweredGivesNobodyMorePlaces than the client's share: it leaves after others have come.
func TestASmallBodyThatIsAnsweredGivesNobodyMorePlaces(t *testing.T) {
	a := newArrivals(8*shareOfBodies, shareOfBytes*bodyBytes)
	enter := func() *place {
		t.Helper()
		p, err := a.enter(netip.MustParseAddr("192.0.2.1"))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	small := enter()
	small.arrived()
	slow := make([]*place, 8)
	for i := range slow {
		slow[i] = enter()
	}
	small.leave()
	if _, err := a.enter(netip.MustParseAddr("192.0.2.1")); !errors.Is(err, errClientFull) {
		t.Errorf("one more than the share: %v", err)
	}
	for _, p := range slow {
		p.arrived()
		p.leave()
	}
	if len(a.networks) != 0 || a.all != (usage{}) {
		t.Errorf("%d networks and %+v are left", len(a.networks), a.all)
	}
}

// TestWhatANetworkHas of 2048 places and 16 MiB, by networks that send as much as they can.
func TestWhatANetworkHas(t *testing.T) {
	const bodies, bytes, body = 2048, 16 << 20, freeBytes + 32<<10
	for of, test := range map[string]struct {
		client        func(n int) string
		places, large int
	}{
		"nobody knows": {func(int) string { return "" }, 32, 64},
		"an address":   {func(int) string { return "192.0.2.1" }, 32, 64},
		"a /64":        {func(n int) string { return fmt.Sprintf("2001:db8::%x", n) }, 32, 64},
		"a /56":        {func(n int) string { return fmt.Sprintf("2001:db8:0:%x::1", n%0x100) }, 128, 128},
		"a /48":        {func(n int) string { return fmt.Sprintf("2001:db8:0:%x::1", n<<4) }, 512, 128},
		"12 addresses": {func(n int) string { return fmt.Sprintf("192.0.2.%d", n%12) }, 12 * 32, 512},
		"everybody":    {func(n int) string { return fmt.Sprintf("192.0.2.%d", n%200) }, bodies, 512},
	} {
		a := newArrivals(bodies, bytes)
		enter := func(n int) (*place, error) {
			address, _ := netip.ParseAddr(test.client(n))
			return a.enter(address)
		}
		var slow []*place
		for n := range 4000 {
			if p, err := enter(n); err == nil {
				slow = append(slow, p)
			}
		}
		if len(slow) != test.places {
			t.Errorf("%s: %d places, want %d", of, len(slow), test.places)
		}
		for _, p := range slow {
			p.arrived()
			p.leave()
		}
		var large []*place // they arrived, and wait to be answered
		for n := range 4000 {
			p, err := enter(n)
			if err != nil {
				t.Fatalf("%s: the places were not given back: %v", of, err)
			}
			if p.grow(body) == nil {
				large = append(large, p)
			}
			p.arrived()
		}
		if len(large) != test.large {
			t.Errorf("%s: memory of %d bodies, want %d", of, len(large), test.large)
		}
		for _, p := range large {
			p.leave()
		}
		if len(a.networks) != 0 || a.all != (usage{}) {
			t.Errorf("%s: %d networks and %+v are left", of, len(a.networks), a.all)
		}
	}
}
