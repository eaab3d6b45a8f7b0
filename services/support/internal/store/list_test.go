package store_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/keyset"
	"fledge.dev/services/support/internal/store"
	"fledge.dev/services/support/internal/ticket"
)

var everything = keyset.Start

func labels(tickets []ticket.Ticket) []string {
	names := []string{}
	for _, t := range tickets {
		names = append(names, t.Label())
	}
	return names
}

func (f *fixture) list(filter store.Filter, page, limit int) ([]string, int64) {
	f.t.Helper()
	got, err := f.List(f.t.Context(), filter, page, limit)
	errtest.None(f.t, err)
	return labels(got.Tickets), got.Total
}

func TestPages(t *testing.T) {
	f := newFixture(t)
	if got, total := f.list(store.Filter{}, 1, 50); len(got) != 0 || total != 0 {
		t.Errorf("without tickets: %v of %d", got, total)
	}
	for range 7 {
		f.open(ticket.Person{ID: uuid.New(), Email: "x@example.com"}, about("x"))
	}
	for page, want := range map[int][]string{
		1: {"TKT-000007", "TKT-000006", "TKT-000005"}, 2: {"TKT-000004", "TKT-000003", "TKT-000002"}, 3: {"TKT-000001"}, 4: {}, 200_000: {},
	} {
		if got, total := f.list(store.Filter{}, page, 3); !slices.Equal(got, want) || total != 7 {
			t.Errorf("page %d: %v of %d, want %v of 7", page, got, total, want)
		}
	}
	if got, total := f.list(store.Filter{}, 1, 7); len(got) != 7 || total != 7 {
		t.Errorf("one full page: %v of %d", got, total)
	}
}

// TestTicketsOfOneMoment have a stable order all the same.
func TestTicketsOfOneMoment(t *testing.T) {
	f := newFixture(t)
	for i := range 9 {
		if _, _, err := f.Create(t.Context(), ticket.Person{ID: uuid.New(), Email: "x@example.com"}, about("x"), fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	all, _ := f.list(store.Filter{}, 1, 9)
	var paged []string
	for page := 1; page <= 3; page++ {
		got, _ := f.list(store.Filter{}, page, 3)
		paged = append(paged, got...)
	}
	if !slices.Equal(all, paged) {
		t.Errorf("in one page %v, in three %v", all, paged)
	}
}

func TestFilters(t *testing.T) {
	f := newFixture(t)
	bug := f.open(ada, about("x"))
	f.open(ada, ticket.Content{Category: ticket.Billing, Priority: ticket.Urgent, Message: "x"})
	f.open(bea, ticket.Content{Category: ticket.Billing, Priority: ticket.Low, Message: "x"})
	f.update(bug.ID, ticket.Update{Status: ticket.Resolved})
	for name, tt := range map[string]struct {
		filter store.Filter
		want   []string
	}{
		"none":           {store.Filter{}, []string{"TKT-000003", "TKT-000002", "TKT-000001"}},
		"a status":       {store.Filter{Status: ticket.Resolved}, []string{"TKT-000001"}},
		"a category":     {store.Filter{Category: ticket.Billing}, []string{"TKT-000003", "TKT-000002"}},
		"a priority":     {store.Filter{Priority: ticket.Urgent}, []string{"TKT-000002"}},
		"all of them":    {store.Filter{Status: ticket.Open, Category: ticket.Billing, Priority: ticket.Low}, []string{"TKT-000003"}},
		"nothing left":   {store.Filter{Status: ticket.Closed}, []string{}},
		"with a search":  {store.Filter{Category: ticket.Billing, Search: "bea@"}, []string{"TKT-000003"}},
		"a search alone": {store.Filter{Search: "@example.com"}, []string{"TKT-000003", "TKT-000002", "TKT-000001"}},
	} {
		if got, total := f.list(tt.filter, 1, 50); !slices.Equal(got, tt.want) || total != int64(len(tt.want)) {
			t.Errorf("%s: %v of %d, want %v", name, got, total, tt.want)
		}
		if got, _, err := f.Export(t.Context(), tt.filter, everything); err != nil || !slices.Equal(labels(got), tt.want) {
			t.Errorf("%s, exported: %v, %v", name, labels(got), err)
		}
	}
}

func TestSearchesAreLiteral(t *testing.T) {
	f := newFixture(t)
	f.open(ada, ticket.Content{Category: ticket.Bug, Priority: ticket.Low, Subject: "Größe 100% falsch", Message: `It says "50_000 \ of" it's; DROP TABLE tickets`})
	f.open(bea, ticket.Content{Category: ticket.Bug, Priority: ticket.Low, Subject: "Plain", Message: "Nothing special here\nin two lines"})
	for search, want := range map[string][]string{
		"tkt-000001": {"TKT-000001"}, "TKT-00000": {"TKT-000002", "TKT-000001"}, "000002": {"TKT-000002"}, "ADA@EXAMPLE": {"TKT-000001"},
		"größe": {"TKT-000001"}, "GRÖSSE": {"TKT-000001"}, "GRÖẞE": {"TKT-000001"}, "100%": {"TKT-000001"}, "%": {"TKT-000001"}, "_": {"TKT-000001"}, `\`: {"TKT-000001"},
		"%%%%": {}, "50_000": {"TKT-000001"}, "50x000": {}, "it's; drop table tickets": {"TKT-000001"}, "' OR 1=1--": {}, "'; SELECT pg_sleep(10)--": {},
		`"50`: {"TKT-000001"}, "special": {"TKT-000002"}, "SPECIAL here": {"TKT-000002"}, "e": {"TKT-000002", "TKT-000001"}, "$1": {}, "{{7*7}}": {},
		"plainnothing": {}, "bea@example.complain": {},
	} {
		began := time.Now()
		if got, total := f.list(store.Filter{Search: search}, 1, 50); !slices.Equal(got, want) || total != int64(len(want)) {
			t.Errorf("%q: %v of %d, want %v", search, got, total, want)
		}
		if took := time.Since(began); took > 9*time.Second {
			t.Errorf("%q took %v", search, took)
		}
	}
}

// TestPagesWhileTicketsArrive: by keys nothing is lost or repeated, whatever comes
// meanwhile; what a page by number can promise is that nothing is skipped.
func TestPagesWhileTicketsArrive(t *testing.T) {
	f := newFixture(t)
	for range 9 {
		f.open(ada, about("old"))
	}
	first, _ := f.list(store.Filter{}, 1, 3)
	mine, next, err := f.Mine(t.Context(), ada.ID, everything, 3)
	if err != nil || len(mine) != 3 || next == nil {
		t.Fatalf("%d tickets, next %v, %v", len(mine), next, err)
	}
	f.clock.Advance(time.Hour)
	f.open(ada, about("new"))
	second, total := f.list(store.Filter{}, 2, 3)
	if want := []string{"TKT-000007", "TKT-000006", "TKT-000005"}; !slices.Equal(second, want) || total != 10 {
		t.Errorf("after %v comes %v of %d, want %v", first, second, total, want)
	}
	var rest []string
	for next != nil {
		mine, next, err = f.Mine(t.Context(), ada.ID, *next, 3)
		errtest.None(t, err)
		for _, thread := range mine {
			rest = append(rest, thread.Ticket.Label())
		}
	}
	if want := []string{"TKT-000006", "TKT-000005", "TKT-000004", "TKT-000003", "TKT-000002", "TKT-000001"}; !slices.Equal(rest, want) {
		t.Errorf("by keys: %v, want %v", rest, want)
	}
	if strangers, _, err := f.Mine(t.Context(), bea.ID, everything, 20); err != nil || len(strangers) != 0 {
		t.Errorf("a stranger sees %d tickets, %v", len(strangers), err)
	}
}

// TestStatsByWeek: the epoch is a Saturday, so that the week began on the 16th.
func TestStatsByWeek(t *testing.T) {
	f := newFixture(t)
	// The fixture's clock goes on by a second with every ticket and update.
	answered := func(category ticket.Category, at time.Time, after time.Duration, status ticket.Status) {
		t.Helper()
		f.clock.Advance(at.Add(-time.Second).Sub(f.clock.Now()))
		opened := f.open(ada, ticket.Content{Category: category, Priority: ticket.Low, Message: "x"})
		f.clock.Advance(after - time.Second)
		f.update(opened.ID, ticket.Update{Status: status, Response: "Which version?"})
	}
	monday := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	oldest, last := monday.AddDate(0, 0, -77), monday.AddDate(0, 0, -7)
	answered(ticket.Bug, oldest.Add(-time.Second), time.Hour, ticket.InProgress) // too long ago
	answered(ticket.Bug, oldest, 2*time.Hour, ticket.InProgress)
	answered(ticket.Billing, monday.Add(-time.Hour), 3*time.Hour, ticket.Resolved) // in the next week
	for n := range 9 {
		answered(ticket.Bug, monday, time.Duration(n+1)*time.Hour, ticket.InProgress)
	}
	answered(ticket.Other, monday, 100*time.Hour, ticket.Resolved)
	f.open(bea, about("nobody answers"))
	f.clock.Advance(time.Hour)
	stats, err := f.Stats(t.Context())
	errtest.None(t, err)
	at := func(hours float64) time.Duration { return time.Duration(math.Round(hours*60)) * time.Minute }
	for what, tt := range map[string]struct{ got, want []store.Week }{
		"first answers": {stats.FirstAnswerWeeks, []store.Week{
			{oldest, "", 1, at(2), at(2)}, {oldest, ticket.Bug, 1, at(2), at(2)},
			{last, "", 1, at(3), at(3)}, {last, ticket.Billing, 1, at(3), at(3)},
			{monday, "", 10, at(5.5), at(18.1)}, {monday, ticket.Bug, 9, at(5), at(8.2)}, {monday, ticket.Other, 1, at(100), at(100)},
		}},
		"resolutions": {stats.ToResolveWeeks, []store.Week{
			{monday, "", 2, at(51.5), at(90.3)}, {monday, ticket.Billing, 1, at(3), at(3)}, {monday, ticket.Other, 1, at(100), at(100)},
		}},
	} {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("%s: %v, want %v", what, tt.got, tt.want)
		}
	}
}

func TestStats(t *testing.T) {
	f := newFixture(t)
	f.clock.Advance(-40 * 24 * time.Hour)
	old := f.open(ada, about("old"))
	f.clock.Advance(40*24*time.Hour - 25*time.Hour)
	yesterday := f.open(ada, ticket.Content{Category: ticket.Bug, Priority: ticket.Urgent, Message: "x"})
	f.clock.Advance(25 * time.Hour)
	f.open(bea, ticket.Content{Category: ticket.Bug, Priority: ticket.Low, Message: "x"})
	if none, err := f.Stats(t.Context()); err != nil || none.FirstAnswer >= 0 || none.ToResolve >= 0 {
		t.Errorf("without any answer: %v, %v, %v", none.FirstAnswer, none.ToResolve, err)
	}
	for _, status := range []ticket.Status{ticket.Resolved, ticket.InProgress, ticket.Resolved} {
		f.update(old.ID, ticket.Update{Status: status})
	}
	f.update(yesterday.ID, ticket.Update{Status: ticket.InProgress, Response: "Which version?"})
	stats, err := f.Stats(t.Context())
	errtest.None(t, err)
	if want := []store.Backlog{{Category: ticket.Bug, Day: 1, Week: 1}}; !slices.Equal(stats.Backlog, want) {
		t.Errorf("the backlog is %+v, want %+v", stats.Backlog, want)
	}
	if first, resolve := stats.FirstAnswer.Round(time.Minute), stats.ToResolve.Round(time.Minute); first != 25*time.Hour || resolve != 40*24*time.Hour {
		t.Errorf("the first answer took %v, to resolve %v", first, resolve)
	}
	if w := stats.Waiting; w[ticket.Urgent] != 1 || w[ticket.Low] != 1 || w[ticket.Medium] != 0 {
		t.Errorf("waiting: %v", w)
	}
	if len(stats.Days) != store.StatsDays {
		t.Fatalf("%d days", len(stats.Days))
	}
	var created, resolved int64
	for i, d := range stats.Days {
		if want := time.Date(2026, 10, 23+i, 0, 0, 0, 0, time.UTC); !d.Day.Equal(want) {
			t.Errorf("day %d is %v, want %v", i, d.Day, want)
		}
		created, resolved = created+d.Created, resolved+d.Resolved
	}
	today, before := stats.Days[29], stats.Days[28]
	if created != 2 || resolved != 1 || today.Created != 1 || today.Resolved != 1 || before.Created != 1 {
		t.Errorf("%d created, %d resolved, today %+v, yesterday %+v", created, resolved, today, before)
	}
}
