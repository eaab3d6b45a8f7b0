package bus

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
)

// slowWorld is an outbox of events that are all erased, and a stream that takes its time to delete.
type slowWorld struct {
	outboxTable
	eventStream
	left   []erasedRow
	looked int
}

func (w *slowWorld) ensure(context.Context) (streamState, error) {
	return streamState{created: time.Now()}, nil
}
func (w *slowWorld) streamCreated(context.Context) (time.Time, error)      { return time.Time{}, nil }
func (w *slowWorld) resetAll(context.Context) (int64, error)               { return 0, nil }
func (w *slowWorld) remember(context.Context, time.Time) error             { return nil }
func (w *slowWorld) holds(context.Context, int64, uuid.UUID) (bool, error) { return true, nil }
func (w *slowWorld) remove(context.Context, int64) error {
	<-time.After(100 * time.Millisecond)
	return nil
}
func (w *slowWorld) pending(context.Context) ([]pendingRow, error) { w.looked++; return nil, nil }
func (w *slowWorld) forget(_ context.Context, seqs []int64) error {
	w.left = w.left[len(seqs):]
	return nil
}
func (w *slowWorld) erased(context.Context) ([]erasedRow, error) {
	return w.left[:min(len(w.left), eraseBatch)], nil
}

// TestRemovingErasedEventsHoldsUpNoOthers where the stream deletes slowly.
func TestRemovingErasedEventsHoldsUpNoOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &slowWorld{left: make([]erasedRow, 150)}
		for i := range w.left {
			w.left[i].streamSeq = int64(i + 1)
		}
		f := newForwarder(w, w, newMetrics(prometheus.NewRegistry(), func() bool { return true }), slog.New(slog.DiscardHandler))
		for began := time.Now(); len(w.left) > 0; {
			step := time.Now()
			if _, err := f.step(t.Context()); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(step); took > 500*time.Millisecond {
				t.Fatalf("a step took %s", took)
			}
			if time.Since(began) > time.Minute {
				t.Fatalf("%d events are left after a minute", len(w.left))
			}
		}
		if w.looked < 30 {
			t.Errorf("it looked for new events %d times", w.looked)
		}
	})
}
