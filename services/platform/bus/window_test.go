package bus

import (
	"testing"
	"time"
)

func TestTheWindowFollowsWhatWaitsAndOpensAgain(t *testing.T) {
	start := time.Now()
	var w window
	at := func(after time.Duration) int64 { return w.begin(start.Add(after)) }
	saw := func(oldest int64, after time.Duration) { w.saw(oldest, start.Add(after)) }

	if got := at(0); got != 0 {
		t.Errorf("the first look begins at %d", got)
	}
	saw(100, 0)
	saw(200, time.Second)
	if got := at(time.Second); got != 0 {
		t.Errorf("after a second it begins at %d: a row may still come late", got)
	}
	saw(300, 2*time.Second)
	if got := at(2 * time.Second); got != 100 {
		t.Errorf("after two it begins at %d, want what was the oldest then", got)
	}
	if got := at(wholeInterval); got != 0 {
		t.Errorf("after %s it begins at %d, want all", wholeInterval, got)
	}
	if got := at(wholeInterval); got != 100 {
		t.Errorf("the look after that begins at %d", got)
	}
	saw(50, wholeInterval)
	if got := at(wholeInterval); got != 300 {
		t.Errorf("after one that came late it begins at %d", got)
	}
	saw(400, wholeInterval+lateness)
	if got := at(wholeInterval + lateness); got != 50 {
		t.Errorf("it begins at %d, want the late one, which may not be published yet", got)
	}
	w.widen()
	if got := at(wholeInterval + lateness); got != 0 {
		t.Errorf("what was lost is looked for from %d", got)
	}
}
