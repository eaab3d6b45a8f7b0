// Package batch turns many concurrent single writes into a few large ones, without a
// delay.
//
// One worker takes everything that queued up during its previous write and writes it at
// once. There is no timer: a single item is written immediately, and batches grow with the
// load. For sign-ups this doubles the throughput of one statement per item and shortens
// the tail.
package batch

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Errors that DoAll returns by itself. In both cases nothing was written.
var (
	ErrFull    = errors.New("batch: the queue is full")
	ErrStopped = errors.New("batch: stopped")
)

// Write stores items, all or none, and returns one result for each, in order.
type Write[T, R any] func(ctx context.Context, items []T) ([]R, error)

// Config bounds a Batcher.
type Config struct {
	// MaxSize is the most items in one write; items that came together stay so, so that
	// the last of them may go beyond.
	MaxSize int
	// MaxQueued is the most items that may wait for the worker.
	MaxQueued int
	// Timeout bounds one write.
	Timeout time.Duration
	// Observe is told the size of each write. May be nil.
	Observe func(size int)
}

// Batcher collects items for a Write. Its methods are safe for concurrent use.
type Batcher[T, R any] struct {
	cfg     Config
	write   Write[T, R]
	queue   chan *pending[T, R]
	queued  atomic.Int64 // items
	stop    chan struct{}
	stopped chan struct{}
	once    sync.Once
}

// pending are the items of one caller.
type pending[T, R any] struct {
	ctx     context.Context // the caller's own, who may give up while they are queued
	items   []T
	results []R
	err     error
	done    chan struct{}
}

// Start returns a running Batcher. Stop ends it.
func Start[T, R any](cfg Config, write Write[T, R]) *Batcher[T, R] {
	b := &Batcher[T, R]{
		cfg:     cfg,
		write:   write,
		queue:   make(chan *pending[T, R], cfg.MaxQueued),
		stop:    make(chan struct{}),
		stopped: make(chan struct{}),
	}
	go b.run()
	return b
}

// DoAll queues items, which are written together, and waits until they are. It
// fails with ErrFull, ErrStopped, the error of the write, or ctx's error. After
// ctx's error the items may still be written.
func (b *Batcher[T, R]) DoAll(ctx context.Context, items []T) ([]R, error) {
	if len(items) == 0 {
		return nil, nil
	}
	p := &pending[T, R]{ctx: ctx, items: items, done: make(chan struct{})}
	select {
	case <-b.stop:
		return nil, ErrStopped
	default:
	}
	if b.queued.Add(int64(len(items))) > int64(b.cfg.MaxQueued) {
		b.queued.Add(-int64(len(items)))
		return nil, ErrFull
	}
	b.queue <- p // which has room for as many as may be queued
	select {
	case <-p.done:
		return p.results, p.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-b.stopped:
	}
	// The last write may have ended in the same moment as the worker.
	select {
	case <-p.done:
		return p.results, p.err
	default:
		return nil, ErrStopped
	}
}

// Queued is how many items wait for the worker.
func (b *Batcher[T, R]) Queued() int { return int(b.queued.Load()) }

// Stop refuses new items, writes those that are queued, and waits for that or
// for ctx.
func (b *Batcher[T, R]) Stop(ctx context.Context) error {
	b.once.Do(func() { close(b.stop) })
	select {
	case <-b.stopped:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *Batcher[T, R]) run() {
	defer close(b.stopped)
	for {
		select {
		case first := <-b.queue:
			b.flush(b.collect(first))
			continue
		case <-b.stop:
		}
		select {
		case first := <-b.queue:
			b.flush(b.collect(first))
		default:
			return
		}
	}
}

// collect takes what is queued now, without those whose callers have left.
func (b *Batcher[T, R]) collect(first *pending[T, R]) (batch []*pending[T, R], size int) {
	for next := first; ; {
		b.queued.Add(-int64(len(next.items)))
		if next.ctx.Err() == nil {
			batch, size = append(batch, next), size+len(next.items)
		}
		if size >= b.cfg.MaxSize {
			return batch, size
		}
		select {
		case next = <-b.queue:
		default:
			return batch, size
		}
	}
}

func (b *Batcher[T, R]) flush(batch []*pending[T, R], size int) {
	if size == 0 {
		return
	}
	if b.cfg.Observe != nil {
		b.cfg.Observe(size)
	}
	items := make([]T, 0, size)
	for _, p := range batch {
		items = append(items, p.items...)
	}
	ctx, cancel := context.WithTimeout(context.Background(), b.cfg.Timeout)
	defer cancel()
	results, err := b.write(ctx, items)
	for _, p := range batch {
		if err != nil {
			p.err = err
		} else {
			p.results, results = results[:len(p.items)], results[len(p.items):]
		}
		close(p.done)
	}
}
