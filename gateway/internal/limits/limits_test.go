package limits_test

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fledge.dev/gateway/internal/limits"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func take(p *limits.PerClient, client netip.Addr) error {
	_, err := p.Take(client)
	return err
}

func TestPerClientEmptiesAndRefills(t *testing.T) {
	now := clock.NewFake(start)
	p := limits.NewPerClient(limits.Rate{PerMinute: 30, Burst: 3}, now)
	client := netip.MustParseAddr("203.0.113.7")
	for range 3 {
		errtest.None(t, take(p, client))
	}
	for range 5 { // being refused must not push the next token further away
		err := take(p, client)
		if f := fault.Of(err); !errors.Is(err, fault.RateLimited) || f.Retry != 2*time.Second {
			t.Fatalf("got %v, retry after %v", err, f.Retry)
		}
	}
	now.Advance(2 * time.Second)
	if err := take(p, client); err != nil {
		t.Errorf("after the wait: %v", err)
	}
	if err := take(p, client); err == nil {
		t.Error("one wait gave two tokens")
	}
}

func TestPerClientTellsClientsApart(t *testing.T) {
	tests := map[string]struct {
		one, other string
		same       bool
	}{
		"v4 neighbours":       {"203.0.113.7", "203.0.113.8", false},
		"v4 mapped into v6":   {"203.0.113.7", "::ffff:203.0.113.7", true},
		"v6 within a network": {"2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true},
		"v6 next network":     {"2001:db8:1:2::1", "2001:db8:1:3::1", false},
		"v6 with a zone":      {"fe80::1%eth0", "fe80::1", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := limits.NewPerClient(limits.Rate{PerMinute: 1, Burst: 1}, clock.NewFake(start))
			errtest.None(t, take(p, netip.MustParseAddr(tt.one)))
			if refused := take(p, netip.MustParseAddr(tt.other)) != nil; refused != tt.same {
				t.Errorf("refused: %v", refused)
			}
		})
	}
}

// TestWiderNetworksHaveMultiplesOfTheRate: whoever has a /56 or a /48 cannot have the rate once for each /64 in it.
func TestWiderNetworksHaveMultiplesOfTheRate(t *testing.T) {
	const burst = 3
	p := limits.NewPerClient(limits.Rate{PerMinute: 1, Burst: burst}, clock.NewFake(start))
	admitted := func(clients func(i int) [16]byte) (n int) {
		for i := range 256 {
			if take(p, netip.AddrFrom16(clients(i))) == nil {
				n++
			}
		}
		return n
	}
	home := func(i int) [16]byte { return [16]byte{0x20, 0x01, 0x0d, 0xb8, 0, 1, 0, byte(i)} }
	if n := admitted(home); n != 4*burst {
		t.Errorf("a /56: %d, want %d", n, 4*burst)
	}
	company := func(i int) [16]byte { return [16]byte{0x20, 0x01, 0x0d, 0xb8, 0, 1, byte(i), 0} }
	if n := admitted(company); n != 12*burst {
		t.Errorf("the rest of its /48: %d, want %d", n, 12*burst)
	}
	if err := take(p, netip.MustParseAddr("2001:db8:2::1")); err != nil {
		t.Errorf("another /48: %v", err)
	}
}

func TestARefusalOfAWiderNetworkTakesNothing(t *testing.T) {
	now := clock.NewFake(start)
	p := limits.NewPerClient(limits.Rate{PerMinute: 1, Burst: 1}, now)
	for _, client := range []string{"2001:db8:0:1::", "2001:db8:0:2::", "2001:db8:0:3::", "2001:db8:0:4::"} {
		errtest.None(t, take(p, netip.MustParseAddr(client)))
	}
	fifth := netip.MustParseAddr("2001:db8:0:5::")
	for range 3 {
		if level, err := p.Take(fifth); err == nil || level.Burst != 4 || level.Left != 0 || fault.Of(err).Retry != 15*time.Second {
			t.Fatalf("%+v, %v", level, err)
		}
	}
	now.Advance(15 * time.Second)
	if err := take(p, fifth); err != nil {
		t.Errorf("its own bucket was emptied: %v", err)
	}
}

func TestLevel(t *testing.T) {
	now := clock.NewFake(start)
	p := limits.NewPerClient(limits.Rate{PerMinute: 30, Burst: 3}, now)
	client := netip.MustParseAddr("203.0.113.7")
	for left := 2; left >= 0; left-- {
		level, err := p.Take(client)
		if err != nil || level.Left != left || level.Full != time.Duration(3-left)*2*time.Second || level.Window() != 6*time.Second {
			t.Errorf("%+v, %v", level, err)
		}
	}
	if level, err := p.Take(client); err == nil || level.Left != 0 || level.Full != 6*time.Second {
		t.Errorf("empty: %+v, %v", level, err)
	}
}

func TestPerClientWithoutAnAddress(t *testing.T) {
	p := limits.NewPerClient(limits.Rate{PerMinute: 1, Burst: 1}, clock.NewFake(start))
	if take(p, netip.Addr{}) != nil || take(p, netip.Addr{}) == nil {
		t.Error("clients without an address do not share one bucket")
	}
}

func TestPerClientIsExactUnderConcurrency(t *testing.T) {
	p := limits.NewPerClient(limits.Rate{PerMinute: 60, Burst: 50}, clock.NewFake(start))
	client := netip.MustParseAddr("203.0.113.7")
	var passed atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range 20 {
				if take(p, client) == nil {
					passed.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if passed.Load() != 50 {
		t.Errorf("%d passed, want 50", passed.Load())
	}
}

func TestInFlight(t *testing.T) {
	one, other := netip.MustParseAddr("203.0.113.1"), netip.MustParseAddr("203.0.113.2")
	f := limits.NewInFlight(3, 2)
	enter := func(client netip.Addr, want error) {
		t.Helper()
		if err := f.Enter(client); !errors.Is(err, want) || fault.Of(err) != nil && fault.Of(err).Retry <= 0 {
			t.Errorf("%s got %v, want %v", client, err, want)
		}
	}
	enter(one, nil)
	enter(one, nil)
	enter(one, fault.RateLimited)
	enter(netip.MustParseAddr("::ffff:203.0.113.1"), fault.RateLimited)
	enter(other, nil)
	enter(other, fault.Unavailable)
	enter(one, fault.RateLimited)
	f.Leave(one)
	enter(one, nil)
	for range 2 {
		f.Leave(one)
	}
	f.Leave(other)
	enter(other, nil)
	enter(other, nil)
	enter(other, fault.RateLimited)
	enter(one, nil)
	enter(one, fault.Unavailable)
	for _, client := range []netip.Addr{one, other, other} {
		f.Leave(client)
	}
	if n := f.Known(); n != 0 {
		t.Errorf("%d networks are known after all have left", n)
	}
}

// TestInFlightOfANetwork: whoever has many networks of IPv6 does not get all places with them.
func TestInFlightOfANetwork(t *testing.T) {
	const all, each = 400, 2
	for of, test := range map[string]struct {
		client  func(n int) string
		entered int
	}{
		"a /64":        {func(n int) string { return fmt.Sprintf("2001:db8::%x", n+1) }, each},
		"a /56":        {func(n int) string { return fmt.Sprintf("2001:db8:0:%x::1", n%0x100) }, 4 * each},
		"a /48":        {func(n int) string { return fmt.Sprintf("2001:db8:0:%x::1", n<<6) }, 16 * each},
		"many of IPv4": {func(n int) string { return fmt.Sprintf("203.0.113.%d", n%256) }, 2 * each * 100},
	} {
		f := limits.NewInFlight(all, each)
		var entered []netip.Addr
		for n := range 1000 {
			client := netip.MustParseAddr(test.client(n))
			if f.Enter(client) == nil {
				entered = append(entered, client)
			}
		}
		if len(entered) != test.entered {
			t.Errorf("%s: %d places, want %d", of, len(entered), test.entered)
		}
		for _, client := range entered {
			f.Leave(client)
		}
		if err := f.Enter(netip.MustParseAddr(test.client(0))); err != nil {
			t.Errorf("%s: the places were not given back: %v", of, err)
		}
	}
	f := limits.NewInFlight(40, 20)
	for n := range 21 {
		err := f.Enter(netip.MustParseAddr(fmt.Sprintf("2001:db8:0:%x::1", n)))
		if (err == nil) != (n < 20) {
			t.Errorf("place %d of one /48: %v", n, err)
		}
	}
}

func TestInFlightIsExactUnderConcurrency(t *testing.T) {
	f := limits.NewInFlight(1000, 5)
	client := netip.MustParseAddr("2001:db8::1")
	var inside, most atomic.Int32
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			for range 100 {
				if f.Enter(client) == nil {
					if n := inside.Add(1); n > 5 {
						most.Store(n)
					}
					inside.Add(-1)
					f.Leave(client)
				}
			}
		})
	}
	wg.Wait()
	if most.Load() > 0 {
		t.Errorf("%d at once, want 5 at most", most.Load())
	}
	for range 5 {
		if err := f.Enter(client); err != nil {
			t.Errorf("a place was not given back: %v", err)
		}
	}
}
