package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/waitlist/internal/batch"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store/db"
)

// Join puts an address on the list and reports whether it is new there. A known
// address stays as it is, whatever its state. Where addresses are to be confirmed, one that is not on the list
// waits for that instead, and isNew is whether an email asks for it.
//
// Concurrent calls share one statement (see package batch). An answer without
// error means that the address is durably kept.
func (s *Store) Join(ctx context.Context, email entry.Email, source entry.Source) (isNew bool, err error) {
	ctx, cancel := s.interactive(ctx)
	defer cancel()
	isNew, err = s.joins.Do(ctx, entry.SignedUp(email, source, s.clock.Now()))
	if errors.Is(err, batch.ErrFull) || errors.Is(err, batch.ErrStopped) {
		return false, fault.New(fault.Unavailable, "waitlist_busy", "The waitlist is very busy right now. Please try again.").
			RetryAfter(time.Second).Wrap(err)
	}
	return isNew, pg.Fault(err, nil)
}

// signUp implements batch.Write: for each entry, whether its address is new.
func (s *Store) signUp(ctx context.Context, entries []entry.Entry) ([]bool, error) {
	if s.cfg.ConfirmSignUps {
		return s.askToConfirm(ctx, entries)
	}
	return s.add(ctx, s.pool, entries, time.Time{})
}

// add tells for each entry whether its address is new. imported is when an import adds them, or zero.
func (s *Store) add(ctx context.Context, conn db.DBTX, entries []entry.Entry, imported time.Time) ([]bool, error) {
	p := db.AddEntriesParams{
		ImportedAt: orNull(imported),
		Ids:        make([]uuid.UUID, len(entries)),
		Emails:     make([]string, len(entries)), Spelled: make([]string, len(entries)),
		Statuses: make([]string, len(entries)), Sources: make([]string, len(entries)), CreatedAts: make([]time.Time, len(entries)),
		Consents: make([]string, len(entries)), ConsentedAts: make([]time.Time, len(entries)), ConfirmedAts: make([]time.Time, len(entries)), LeftAts: make([]time.Time, len(entries)), ExpiredAts: make([]time.Time, len(entries)),
	}
	for i, e := range entries {
		p.Ids[i], p.Emails[i], p.Spelled[i], p.CreatedAts[i] = e.ID, e.Email.String(), spelled(e.Email.String()), e.CreatedAt
		p.Statuses[i], p.Sources[i], p.LeftAts[i] = string(e.Status), string(e.Source), e.LeftAt
		p.Consents[i], p.ConsentedAts[i], p.ConfirmedAts[i], p.ExpiredAts[i] = e.Consent, e.ConsentedAt, e.ConfirmedAt, e.ExpiredAt
	}
	rows, err := s.q.AddEntries(ctx, conn, p)
	if err != nil {
		return nil, err
	}
	added := make(map[uuid.UUID]bool, len(rows))
	for _, id := range rows {
		added[id] = true
	}
	isNew := make([]bool, len(entries))
	for i, e := range entries {
		isNew[i] = added[e.ID]
	}
	return isNew, nil
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
