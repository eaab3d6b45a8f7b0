package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/waitlist/internal/batch"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/event"
	"fledge.dev/services/waitlist/internal/store/db"
)

// signup is a new entry with the event that tells of it, ready to be written. The event of
// the first of event.MaxJoined takes in those of the others.
type signup struct {
	entry entry.Entry
	event bus.Row
}

// Join puts an address on the list and reports whether it is new there. A known
// address stays as it is, whatever its state, and causes no event.
//
// Concurrent calls share one statement (see package batch). An answer without
// error means that the address is durably on the list.
func (s *Store) Join(ctx context.Context, email entry.Email, source entry.Source) (isNew bool, err error) {
	item, err := newSignup(ctx, entry.New(email, source, s.clock.Now()))
	if err != nil {
		return false, fault.Of(err)
	}
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	isNew, err = s.joins.Do(ctx, item)
	if errors.Is(err, batch.ErrFull) || errors.Is(err, batch.ErrStopped) {
		return false, fault.New(fault.Unavailable, "waitlist_busy", "The waitlist is very busy right now. Please try again.").
			RetryAfter(time.Second).Wrap(err)
	}
	return isNew, pg.Fault(err, nil)
}

func newSignup(ctx context.Context, e entry.Entry) (signup, error) {
	row, err := bus.Encode(ctx, event.Joined(e))
	return signup{entry: e, event: row}, err
}

// joinAll implements batch.Write: for each item, whether its address is new.
func (s *Store) joinAll(ctx context.Context, items []signup) ([]bool, error) {
	return s.joinWith(ctx, s.pool, items)
}

func (s *Store) joinWith(ctx context.Context, conn db.DBTX, items []signup) ([]bool, error) {
	ids, err := s.q.JoinAll(ctx, conn, joinParams(items))
	if err != nil {
		return nil, err
	}
	joined := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		joined[id] = true
	}
	isNew := make([]bool, len(items))
	for i, item := range items {
		isNew[i] = joined[item.entry.ID]
	}
	return isNew, nil
}

func joinParams(items []signup) db.JoinAllParams {
	p := db.JoinAllParams{
		EventType:    event.UsersJoined,
		EventSource:  items[0].event.Source,
		Ids:          make([]uuid.UUID, len(items)),
		Emails:       make([]string, len(items)),
		Sources:      make([]string, len(items)),
		CreatedAts:   make([]time.Time, len(items)),
		EventIds:     make([]uuid.UUID, len(items)),
		Traceparents: make([]string, len(items)),
		Payloads:     make([][]byte, len(items)),
	}
	for i, item := range items {
		p.Ids[i] = item.entry.ID
		p.Emails[i] = item.entry.Email.String()
		p.Sources[i] = string(item.entry.Source)
		p.CreatedAts[i] = item.entry.CreatedAt
		p.EventIds[i] = items[i-i%event.MaxJoined].event.ID
		p.Traceparents[i] = item.event.Traceparent
		p.Payloads[i] = item.event.Payload
	}
	return p
}

func registerJoinMetrics(reg *prometheus.Registry, s *Store) (size prometheus.Histogram, err error) {
	size = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "waitlist_join_batch_size",
		Help:    "Sign-ups written by one statement.",
		Buckets: prometheus.ExponentialBuckets(1, 2, 8),
	})
	queued := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "waitlist_join_queue_depth",
		Help: "Sign-ups that wait for the statement before them.",
	}, func() float64 {
		return float64(s.joins.Queued())
	})
	return size, errors.Join(reg.Register(size), reg.Register(queued))
}
