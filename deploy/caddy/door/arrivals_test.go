package door

import (
	"errors"
	"testing"
)

// TestASmallBodyThatIsAnsweredGivesNobodyMorePlaces than the client's share: it leaves after others have come.
func TestASmallBodyThatIsAnsweredGivesNobodyMorePlaces(t *testing.T) {
	a := newArrivals(8*share, share*bodyBytes)
	enter := func() *place {
		t.Helper()
		p, err := a.enter("192.0.2.1")
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
	if _, err := a.enter("192.0.2.1"); !errors.Is(err, errClientFull) {
		t.Errorf("one more than the share: %v", err)
	}
	for _, p := range slow {
		p.arrived()
		p.leave()
	}
	if len(a.clients) != 0 || a.all != (usage{}) {
		t.Errorf("%d clients and %+v are left", len(a.clients), a.all)
	}
}
