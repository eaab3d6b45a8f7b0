package bus

import "time"

const (
	// lateness is how long a transaction may take from its number in the outbox to its commit
	// without its events waiting for the next look at all of the outbox.
	lateness = 2 * time.Second
	// wholeInterval is the pause between looks at all of the outbox.
	wholeInterval = 5 * time.Second
)

// window is the part of the outbox in which the relay looks for waiting rows. In a burst
// thousands of rows a second are published, and until they are vacuumed the index of waiting
// rows still has their entries: a look from its beginning would pass all of them. So a look
// begins at the row that was the oldest waiting one a while ago. A row may commit late, with
// a number below that; every wholeInterval the look is at all rows.
type window struct {
	from, next   int64
	moved, whole time.Time
}

// begin returns the number from which to look now.
func (w *window) begin(now time.Time) int64 {
	if now.Sub(w.whole) >= wholeInterval {
		w.whole = now
		return 0
	}
	return w.from
}

// saw is told the oldest row that waits.
func (w *window) saw(oldest int64, now time.Time) {
	if now.Sub(w.moved) >= lateness {
		w.from, w.next, w.moved = w.next, oldest, now
	}
}

// widen is called when published rows wait again.
func (w *window) widen() { *w = window{} }
