package store_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/waittest"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
)

// aRush is more entries than PostgreSQL's own 4 MB of new ones hold.
const aRush = 10_000

// rush imports entries, each of which a search for "rush" finds.
func (f *fixture) rush() {
	f.t.Helper()
	part := store.ImportPart{ID: "rush"}
	for n := range aRush {
		part.Emails = append(part.Emails, email(f.t, fmt.Sprintf("rush.%032x@example.com", n*2654435761)))
	}
	if _, err := f.Import(f.staff(), part); err != nil {
		f.t.Fatal(err)
	}
}

// unsorted sorts what is new and tells how many pages that was.
func (f *fixture) unsorted() (pages int) {
	f.t.Helper()
	err := f.pool.QueryRow(context.Background(), "SELECT gin_clean_pending_list('waitlist_users_email_trgm')").Scan(&pages)
	if err != nil {
		f.t.Fatal(err)
	}
	return pages
}

func (f *fixture) startSorting(log *slog.Logger) (stop func()) {
	f.t.Helper()
	f.metrics = prometheus.NewRegistry()
	sorting, err := f.Sorting(time.Millisecond, f.metrics)
	if err != nil {
		f.t.Fatal(err)
	}
	background, err := periodic.New(nil, service.NewRuntime("waitlist", "test", log))
	if err != nil {
		f.t.Fatal(err)
	}
	end, err := background.Unit(sorting).Start(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	return func() {
		f.t.Helper()
		if err := end(context.Background()); err != nil {
			f.t.Error(err)
		}
	}
}

func (f *fixture) sorted() int {
	f.t.Helper()
	return int(f.metric("waitlist_search_pages_sorted_total").GetCounter().GetValue())
}

func TestARushLeavesTheSearchIndexUnsorted(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.rush()
	const ours = 4 << 20 / 8192
	if pages := f.unsorted(); pages <= ours {
		t.Errorf("%d pages are left to be sorted on the side, want more than the %d at which writers did it before", pages, ours)
	}
}

// TestTheSearchIndexIsSortedOnTheSide, what a process left that died included, by two
// replicas at a time.
func TestTheSearchIndexIsSortedOnTheSide(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.rush()
	other := fixtureWith(t, f.pool, patient)
	defer f.startSorting(slog.Default())()
	defer other.startSorting(slog.Default())()
	waittest.Eventually(t, "what was there before is sorted", func() bool { return f.sorted()+other.sorted() > 512 })
	if pages := f.unsorted(); pages != 0 {
		t.Errorf("%d pages are left", pages)
	}
	before := f.sorted() + other.sorted()
	f.joined("ada@example.com")
	waittest.Eventually(t, "a sign-up is sorted", func() bool { return f.sorted()+other.sorted() > before })
}

// TestSearchDoesNotWaitForSorting finds the same before, meanwhile and after.
func TestSearchDoesNotWaitForSorting(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.rush()
	f.joined("ada@example.com")
	f.find("ada@example.com")
	stop := f.startSorting(slog.Default())
	found := func() bool {
		page, err := f.List(t.Context(), store.Filter{Search: "rush", Status: entry.Pending}, nil, store.MaxChunk)
		if err != nil || len(page.Entries) != store.MaxChunk || page.Next == nil {
			t.Fatalf("found %d, %v", len(page.Entries), err)
		}
		f.find("ada@example.com")
		return f.sorted() > 512
	}
	waittest.Eventually(t, "all is sorted", found)
	stop()
	found()
}

func TestSortingWithoutAnIndexDoesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	if _, err := f.pool.Exec(t.Context(), "DROP INDEX waitlist_users_email_trgm"); err != nil {
		t.Fatal(err)
	}
	f.joined("ada@example.com")
	if pages, err := f.SortOnce(t.Context()); pages != 0 || err != nil {
		t.Errorf("sorted %d pages, %v", pages, err)
	}
}

// TestSortingTellsOnceThatItCannot and works again when it can.
func TestSortingTellsOnceThatItCannot(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	hide := func(name, as string) {
		t.Helper()
		if _, err := f.pool.Exec(t.Context(), fmt.Sprintf("ALTER INDEX %s RENAME TO %s", name, as)); err != nil {
			t.Fatal(err)
		}
	}
	const index, aside = "waitlist_users_email_trgm", "waitlist_users_aside"
	hide(index, aside)
	hide("waitlist_users_newest", index) // no index of the kind that has a list
	f.joined("ada@example.com")
	told := make(chan string, 10)
	defer f.startSorting(slog.New(slog.NewTextHandler(lines(told), nil)))()
	if line := <-told; !strings.Contains(line, "not sorted on the side") {
		t.Errorf("it told %s", line)
	}
	hide(index, "waitlist_users_newest")
	hide(aside, index)
	waittest.Eventually(t, "it sorts", func() bool { return f.sorted() > 0 })
	if len(told) > 0 {
		t.Errorf("it told again: %s", <-told)
	}
}

// lines takes what is logged.
type lines chan string

func (l lines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}
