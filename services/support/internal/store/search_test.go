package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/support/internal/search"
	"fledge.dev/services/support/internal/store"
	"fledge.dev/services/support/internal/ticket"
)

func TestEverythingThatWasWrittenIsFound(t *testing.T) {
	f := newFixture(t)
	made := f.open(ada, ticket.Content{Category: ticket.Bug, Priority: ticket.Low, Subject: "Export", Message: "Der Export ist zu groß"})
	f.open(bea, about("Something else"))
	if _, err := f.AddNote(f.staff(), admin, made.ID, "Ask the Xcode people"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Reply(t.Context(), ada, made.ID, "Прошу ВОЗВРАТ денег", f.key()); err != nil {
		t.Fatal(err)
	}
	f.update(made.ID, ticket.Update{Status: ticket.InProgress, Response: "In the CAFE\u0301, R&D says 退款 zq " + ticket.Text(strings.Repeat("and so on ", 50))})
	for search, snippet := range map[string]string{
		"export": "", "tkt-000001": "", "ada@": "", "GROSS": "Der Export ist zu groß", "возврат": "Прошу ВОЗВРАТ денег", "ра": "Прошу ВОЗВРАТ денег",
		"café": "CAFE\u0301", "退款": "退款", "款": "退款", "zq": "zq", "&": "R&D", "D says": "R&D says", "xcode P": "Xcode people",
	} {
		got, err := f.List(t.Context(), store.Filter{Search: search}, 1, 50)
		if err != nil || got.Total != 1 || len(got.Tickets) != 1 || got.Tickets[0].ID != made.ID {
			t.Errorf("%q: %v of %d, %v", search, labels(got.Tickets), got.Total, err)
		}
		if found := got.Snippets[made.ID]; !strings.Contains(found, snippet) || (snippet == "") != (found == "") {
			t.Errorf("%q: the snippet is %q", search, found)
		}
	}
}

// TestAnAddressIsFoundInBothSpellings of its domain.
func TestAnAddressIsFoundInBothSpellings(t *testing.T) {
	f := newFixture(t)
	made := f.open(ticket.Person{ID: uuid.New(), Email: "dora@xn--bcher-kva.example"}, about("help"))
	f.open(bea, about("Something else"))
	for _, search := range []string{"bücher", "BU\u0308CHER.example", "dora@bücher", "xn--bcher"} {
		got, err := f.List(t.Context(), store.Filter{Search: search}, 1, 50)
		if err != nil || len(got.Tickets) != 1 || got.Tickets[0].ID != made.ID || got.Snippets[made.ID] != "" {
			t.Errorf("%q: %v, snippets %q, %v", search, labels(got.Tickets), got.Snippets, err)
		}
	}
}

// TestRareWordsAreFoundBehindManyTickets, page by page and in an export.
func TestRareWordsAreFoundBehindManyTickets(t *testing.T) {
	f := newFixture(t)
	pgtest.Seed(t, f.pool.Config().ConnString(), "testdata/seed.sql", 450)
	if got, total := f.list(store.Filter{Search: "simulator"}, 1, 50); len(got) != 0 || total != 0 {
		t.Errorf("found %v of %d before they are indexed", got, total)
	}
	errtest.None(t, f.IndexOutdated(t.Context()))
	for search, want := range map[string]int{"tkt-000007": 1, "simulator": 56, "reference": 450, "e": 450, "unheardof": 0} {
		filter := store.Filter{Search: search}
		var paged []string
		for page := 1; page <= 10; page++ {
			got, total := f.list(filter, page, 50)
			if total != int64(want) {
				t.Errorf("%q: %d in all, want %d", search, total, want)
			}
			paged = append(paged, got...)
		}
		exported, _, err := f.Export(t.Context(), filter, everything)
		if fmt.Sprint(labels(exported)) != fmt.Sprint(paged) || len(paged) != want || err != nil {
			t.Errorf("%q: %d on pages, %d exported, want %d, %v", search, len(paged), len(exported), want, err)
		}
	}
}

// TestWhatAnEarlierVersionWroteIsFound once the task has been there.
func TestWhatAnEarlierVersionWroteIsFound(t *testing.T) {
	f := newFixture(t)
	made := f.open(ada, about("needle"))
	for _, sql := range []string{
		"DELETE FROM ticket_search", "UPDATE ticket_search SET folding = 0, folded = ''", "UPDATE ticket_search SET version = 0, folded = ''",
	} {
		f.exec(sql)
		if got, _ := f.list(store.Filter{Search: "needle"}, 1, 50); len(got) != 0 {
			t.Errorf("%s: found %v", sql, got)
		}
		errtest.None(t, f.Indexing().Run(t.Context()))
		if got, _ := f.list(store.Filter{Search: "needle"}, 1, 50); len(got) != 1 || got[0] != made.Label() {
			t.Errorf("%s: found %v", sql, got)
		}
	}
}

// TestWordsThatMeetAreFoundMeanwhile: a ticket that was folded by earlier rules lacks what is kept of where two words meet.
func TestWordsThatMeetAreFoundMeanwhile(t *testing.T) {
	f := newFixture(t)
	pgtest.Seed(t, f.pool.Config().ConnString(), "testdata/seed.sql", 450)
	errtest.None(t, f.IndexOutdated(t.Context()))
	const words, never = "simulator is slow", "since mac"
	f.exec("UPDATE ticket_search SET folding = 2, grams = ARRAY(SELECT unnest(grams) EXCEPT SELECT unnest($1::int[]))", search.JoinsOf(words))
	for _, when := range []string{"before", "after"} {
		for search, want := range map[string]int{words: 56, never: 0} {
			if _, total := f.list(store.Filter{Search: search}, 1, 50); total != int64(want) {
				t.Errorf("%s all are folded again: %d have %q, want %d", when, total, search, want)
			}
		}
		errtest.None(t, f.IndexOutdated(t.Context()))
	}
}

// TestLongThreadsAreFoundLater: nobody waits for their index, and the latest is found.
func TestLongThreadsAreFoundLater(t *testing.T) {
	f := newFixture(t)
	made := f.open(ada, about("the very first"))
	for i := range 30 {
		f.update(made.ID, ticket.Update{Status: ticket.InProgress, Response: ticket.Text(fmt.Sprintf("word%02d ", i) + strings.Repeat("x", 9_990))})
	}
	found := func(word string) bool { got, _ := f.list(store.Filter{Search: word}, 1, 50); return len(got) == 1 }
	if !found("word05") || found("word29") {
		t.Error("a long thread is indexed at once")
	}
	errtest.None(t, f.IndexOutdated(t.Context()))
	if !found("word29") || !found("word05") || found("word03") || !found("very first") {
		t.Error("the latest is not what is found")
	}
}
