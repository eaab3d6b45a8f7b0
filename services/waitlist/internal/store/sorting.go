package store

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/periodic"
)

// SortEvery is the pause between two merges.
const SortEvery = 2 * time.Second

// sortTimeout bounds one merge when the database does not answer.
const sortTimeout = 10 * time.Second

// sortNew merges the pending list of new entries into the search index and returns how
// many pages that were. Without an index it does nothing.
const sortNew = `SELECT coalesce(gin_clean_pending_list(to_regclass('waitlist_users_email_trgm')), 0)`

// Sorting keeps merging the search index's pending list, so that no sign-up has to: one
// that finds the list full merges it before it is answered. Searches read the list, too,
// and do not depend on this. Replicas may merge at the same time; what one leaves, the
// next one does.
func (s *Store) Sorting(every time.Duration, reg prometheus.Registerer) (periodic.Task, error) {
	pages := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "waitlist_search_pages_sorted_total", Help: "Pages of new entries that were sorted into the search index on the side.",
	})
	return periodic.Task{Name: "search_index", Every: every, Timeout: sortTimeout, Run: func(ctx context.Context) error {
		sorted, err := s.sort(ctx)
		if err != nil {
			return fmt.Errorf("search index is not sorted on the side, sign-ups do it: %w", err)
		}
		pages.Add(float64(sorted))
		return nil
	}}, reg.Register(pages)
}

func (s *Store) sort(ctx context.Context) (pages int64, err error) {
	err = s.pool.QueryRow(ctx, sortNew).Scan(&pages)
	return pages, err
}
