package batch_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/waitlist/internal/batch"
)

// gate is a Write that holds each batch until it is released.
type gate struct {
	started chan []int
	release chan error
}

func newGate() *gate { return &gate{started: make(chan []int), release: make(chan error)} }

func (g *gate) write(ctx context.Context, items []int) ([]int, error) {
	g.started <- items
	select {
	case err := <-g.release:
		doubled := make([]int, len(items))
		for i, n := range items {
			doubled[i] = 2 * n
		}
		return doubled, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func config() batch.Config { return batch.Config{MaxSize: 4, MaxQueued: 8, Timeout: time.Second} }

type answer struct {
	result int
	err    error
}

// doAsync starts Do for each item and waits until all of them are queued.
func doAsync(ctx context.Context, b *batch.Batcher[int, int], items ...int) []chan answer {
	answers := make([]chan answer, len(items))
	for i, item := range items {
		answers[i] = make(chan answer, 1)
		go func() {
			result, err := b.Do(ctx, item)
			answers[i] <- answer{result, err}
		}()
		synctest.Wait()
	}
	return answers
}

func TestWhatQueuesDuringAWriteBecomesTheNextBatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		var sizes []int
		cfg := config()
		cfg.Observe = func(n int) { sizes = append(sizes, n) }
		b := batch.Start(cfg, g.write)
		answers := doAsync(t.Context(), b, 1)
		if got := <-g.started; len(got) != 1 {
			t.Fatalf("a lone item was written as %v", got)
		}
		answers = append(answers, doAsync(t.Context(), b, 2, 3, 4, 5, 6)...)
		if b.Queued() != 5 {
			t.Fatalf("%d items queued, want 5", b.Queued())
		}
		g.release <- nil
		if got := <-g.started; len(got) != 4 {
			t.Fatalf("second batch is %v, want the four that fit", got)
		}
		g.release <- nil
		<-g.started
		g.release <- nil
		for i, a := range answers {
			if got := <-a; got != (answer{2 * (i + 1), nil}) {
				t.Errorf("item %d got %+v", i+1, got)
			}
		}
		errtest.None(t, b.Stop(t.Context()))
		if len(sizes) != 3 || sizes[0] != 1 || sizes[1] != 4 || sizes[2] != 1 {
			t.Errorf("observed sizes %v, want [1 4 1]", sizes)
		}
	})
}

func TestAFailedWriteFailsItsOwnItemsOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		b := batch.Start(config(), g.write)
		first := doAsync(t.Context(), b, 1)
		<-g.started
		rest := doAsync(t.Context(), b, 2, 3)
		boom := errors.New("boom")
		g.release <- boom
		<-g.started
		g.release <- nil
		if got := <-first[0]; !errors.Is(got.err, boom) {
			t.Errorf("item 1 got %+v, want the write's error", got)
		}
		for i, a := range rest {
			if got := <-a; got != (answer{2 * (i + 2), nil}) {
				t.Errorf("item %d got %+v", i+2, got)
			}
		}
		_ = b.Stop(t.Context())
	})
}

func TestAFullQueueRefusesAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		b := batch.Start(config(), g.write)
		doAsync(t.Context(), b, 0)
		<-g.started
		doAsync(t.Context(), b, 1, 2, 3, 4, 5, 6, 7, 8)
		if _, err := b.Do(t.Context(), 9); !errors.Is(err, batch.ErrFull) {
			t.Errorf("got %v, want ErrFull", err)
		}
		go func() {
			g.release <- nil
			for range 2 {
				<-g.started
				g.release <- nil
			}
		}()
		_ = b.Stop(t.Context())
	})
}

func TestAnItemWhoseCallerLeftIsNotWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		b := batch.Start(config(), g.write)
		doAsync(t.Context(), b, 1)
		<-g.started
		leaving, leave := context.WithCancel(t.Context())
		left := doAsync(leaving, b, 2)
		stayed := doAsync(t.Context(), b, 3)
		leave()
		if got := <-left[0]; !errors.Is(got.err, context.Canceled) {
			t.Errorf("the caller who left got %+v", got)
		}
		g.release <- nil
		if got := <-g.started; len(got) != 1 || got[0] != 3 {
			t.Errorf("wrote %v, want only the item whose caller waits", got)
		}
		g.release <- nil
		if got := <-stayed[0]; got != (answer{6, nil}) {
			t.Errorf("the caller who stayed got %+v", got)
		}
		_ = b.Stop(t.Context())
	})
}

func TestAWriteThatHangsIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		b := batch.Start(config(), g.write)
		answers := doAsync(t.Context(), b, 1)
		<-g.started
		if got := <-answers[0]; !errors.Is(got.err, context.DeadlineExceeded) {
			t.Errorf("got %+v, want the write's deadline", got)
		}
		_ = b.Stop(t.Context())
	})
}

func TestStopWritesWhatIsQueuedAndRefusesTheRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := newGate()
		b := batch.Start(config(), g.write)
		answers := doAsync(t.Context(), b, 1)
		<-g.started
		answers = append(answers, doAsync(t.Context(), b, 2, 3)...)
		stopped := make(chan error, 1)
		go func() { stopped <- b.Stop(t.Context()) }()
		synctest.Wait()
		if _, err := b.Do(t.Context(), 4); !errors.Is(err, batch.ErrStopped) {
			t.Errorf("after Stop, Do returned %v", err)
		}
		g.release <- nil
		<-g.started
		g.release <- nil
		for i, a := range answers {
			if got := <-a; got != (answer{2 * (i + 1), nil}) {
				t.Errorf("item %d got %+v", i+1, got)
			}
		}
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

// TestEveryItemIsWrittenOnceOrRefused races callers against Stop.
func TestEveryItemIsWrittenOnceOrRefused(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	written := map[int]int{}
	b := batch.Start(batch.Config{MaxSize: 16, MaxQueued: 64, Timeout: time.Minute}, func(_ context.Context, items []int) ([]bool, error) {
		mu.Lock()
		defer mu.Unlock()
		for _, item := range items {
			written[item]++
		}
		return make([]bool, len(items)), nil
	})
	var wg sync.WaitGroup
	acknowledged := make([]bool, 4000)
	for caller := range 8 {
		wg.Go(func() {
			for i := caller; i < len(acknowledged); i += 8 {
				if i == len(acknowledged)/2 {
					_ = b.Stop(context.Background())
				}
				_, err := b.Do(context.Background(), i)
				acknowledged[i] = err == nil
			}
		})
	}
	wg.Wait()
	for i, ok := range acknowledged {
		if (written[i] == 1) != ok {
			t.Fatalf("item %d: acknowledged %t, written %d times", i, ok, written[i])
		}
	}
}
