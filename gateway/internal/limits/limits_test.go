package limits_test

import (
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fledge.dev/gateway/internal/limits"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/fault"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestPerClientEmptiesAndRefills(t *testing.T) {
	now := clock.NewFake(start)
	p := limits.NewPerClient(limits.Rate{PerMinute: 30, Burst: 3}, now)
	client := netip.MustParseAddr("203.0.113.7")
	for range 3 {
		if err := p.Take(client); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 { // being refused must not push the next token further away
		err := p.Take(client)
		if f := fault.Of(err); !errors.Is(err, fault.RateLimited) || f.Retry != 2*time.Second {
			t.Fatalf("got %v, retry after %v", err, f.Retry)
		}
	}
	now.Advance(2 * time.Second)
	if err := p.Take(client); err != nil {
		t.Errorf("after the wait: %v", err)
	}
	if err := p.Take(client); err == nil {
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
			if err := p.Take(netip.MustParseAddr(tt.one)); err != nil {
				t.Fatal(err)
			}
			if refused := p.Take(netip.MustParseAddr(tt.other)) != nil; refused != tt.same {
				t.Errorf("refused: %v", refused)
			}
		})
	}
}

func TestPerClientWithoutAnAddress(t *testing.T) {
	p := limits.NewPerClient(limits.Rate{PerMinute: 1, Burst: 1}, clock.NewFake(start))
	if p.Take(netip.Addr{}) != nil || p.Take(netip.Addr{}) == nil {
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
				if p.Take(client) == nil {
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
