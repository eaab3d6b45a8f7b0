package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fledge.dev/services/platform/address"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/waitlist/internal/entry"
	"fledge.dev/services/waitlist/internal/store"
	"fledge.dev/services/waitlist/internal/wave"
)

func TestListIsNewestFirstInPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	var want []string
	for n := range 7 {
		// Pairs share a time, so that the id has to decide between them.
		if n%2 == 0 {
			f.clock.Advance(time.Second)
		}
		want = append(want, f.joined(fmt.Sprintf("person%d@example.com", n)).Email.String())
	}
	var got []string
	sizes := []int{}
	for after := (*store.Cursor)(nil); ; {
		page, err := f.List(t.Context(), store.Filter{}, after, 3)
		errtest.None(t, err)
		got, sizes = append(got, addresses(page)...), append(sizes, len(page.Entries))
		if page.Next == nil {
			break
		}
		after = page.Next
	}
	slices.Reverse(want)
	if !slices.Equal(got, want) || !slices.Equal(sizes, []int{3, 3, 1}) {
		t.Errorf("pages of %v: %v, want %v", sizes, got, want)
	}
}

func TestAPageThatIsExactlyFullIsTheLast(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.joined("ada@example.com")
	f.joined("bob@example.com")
	page, err := f.List(t.Context(), store.Filter{}, nil, 2)
	if err != nil || len(page.Entries) != 2 || page.Next != nil {
		t.Errorf("page %+v, %v", page, err)
	}
}

func TestPagingIsStableWhileOthersJoin(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	var want []string
	for n := range 10 {
		f.clock.Advance(time.Second)
		want = append([]string{f.joined(fmt.Sprintf("early%d@example.com", n)).Email.String()}, want...)
	}
	var got []string
	for after, n := (*store.Cursor)(nil), 0; n == 0 || after != nil; n++ {
		page, err := f.List(t.Context(), store.Filter{}, after, 3)
		errtest.None(t, err)
		got, after = append(got, addresses(page)...), page.Next
		f.clock.Advance(time.Second)
		f.joined(fmt.Sprintf("late%d@example.com", n))
	}
	if !slices.Equal(got, want) {
		t.Errorf("walked %v, want %v", got, want)
	}
}

func TestListByStatus(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.joined("pending@example.com")
	if _, _, err := f.Approve(f.staff(), f.joined("approved@example.com").ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Remove(f.staff(), f.joined("rejected@example.com").ID); err != nil {
		t.Fatal(err)
	}
	for _, status := range []entry.Status{entry.Pending, entry.Approved, entry.Rejected} {
		for _, search := range []string{"", "EXAMPLE"} {
			page, err := f.List(t.Context(), store.Filter{Status: status, Search: search}, nil, 10)
			if want := []string{string(status) + "@example.com"}; err != nil || !slices.Equal(addresses(page), want) {
				t.Errorf("%s with search %q: %v, %v; want %v", status, search, addresses(page), err, want)
			}
		}
	}
}

func TestSearchIsLiteralAndIgnoresCase(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	for _, address := range []string{"100%off@example.com", "snake_case@example.com", "snakeXcase@example.com", "plain@example.com", "o'hara@example.com"} {
		f.joined(address)
	}
	for search, want := range map[string][]string{
		"%":                       {"100%off@example.com"},
		"_":                       {"snake_case@example.com"},
		"E_C":                     {"snake_case@example.com"},
		`\`:                       nil,
		`\%`:                      nil,
		"%%%%":                    nil,
		"SNAKE":                   {"snakexcase@example.com", "snake_case@example.com"},
		"n@e":                     {"plain@example.com"},
		"o'h":                     {"o'hara@example.com"},
		"'; SELECT pg_sleep(9)--": nil,
		"nobody":                  nil,
	} {
		page, err := f.List(t.Context(), store.Filter{Search: search}, nil, 10)
		if err != nil || !slices.Equal(addresses(page), want) {
			t.Errorf("search %q found %v, %v; want %v", search, addresses(page), err, want)
		}
	}
}

// TestEachPartOfAnAddressFindsIt and whoever else has it in theirs, and nobody besides.
func TestEachPartOfAnAddressFindsIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	all := []string{
		"ada.lovelace@example.com", "ada-lovelace@example.com", "ada.lovelace@example.org", "ada.b.lovelace@example.com",
		"xada.lovelace@example.com", "lovelace.ada@example.com", "ada+beta@mail.example.com", "o'hara_@xn--bcher-kva.example",
	}
	for _, address := range all {
		f.clock.Advance(time.Second)
		f.joined(address)
	}
	searched := map[string]bool{}
	for _, typed := range append(all, "'hara_@bücher.example") {
		letters := []rune(typed)
		for begin := range letters {
			for end := begin + 1; end <= len(letters); end++ {
				searched[string(letters[begin:end])] = true
			}
		}
	}
	for part := range searched {
		want := slices.DeleteFunc(slices.Clone(all), func(email string) bool {
			return !strings.Contains(email, part) && !strings.Contains(address.Unicode(email), part)
		})
		slices.Reverse(want)
		page, err := f.List(t.Context(), store.Filter{Search: part}, nil, 10)
		if err != nil || !slices.Equal(addresses(page), want) {
			t.Errorf("search %q found %v, %v; want %v", part, addresses(page), err, want)
		}
	}
}

// TestANameFindsItsAddress, on the list and among those who are yet to confirm.
func TestANameFindsItsAddress(t *testing.T) {
	t.Parallel()
	f, waiting := newFixture(t, patient), confirming(t)
	for _, email := range []string{"ada.b.lovelace@xn--bcher-kva.example", "lovelace.ada@example.com"} {
		f.joined(email)
		waiting.signedUp(email)
	}
	for search, found := range map[string]int{"Ada Lovelace": 1, "ada b lovelace büch": 1, "ada  @xn--": 1, "lovelace ada": 1, "ada": 2, "Ada Byron": 0, "ada ada": 0} {
		page, err := f.List(t.Context(), store.Filter{Search: search}, nil, 10)
		if err != nil || len(page.Entries) != found || len(waiting.unconfirmed(search)) != found {
			t.Errorf("search %q found %v, and %v to be confirmed, %v", search, addresses(page), waiting.unconfirmed(search), err)
		}
	}
}

// TestADomainIsFoundAsPeopleTypeIt, from the first letters on, and by waves, too.
func TestADomainIsFoundAsPeopleTypeIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.joined("ada@bücher.example")
	f.joined("bob@buecher.example")
	f.clock.Advance(time.Second)
	look := func(search string, want ...string) {
		t.Helper()
		for _, status := range []entry.Status{"", entry.Pending} {
			page, err := f.List(t.Context(), store.Filter{Search: search, Status: status}, nil, 10)
			if err != nil || !slices.Equal(addresses(page), want) {
				t.Errorf("search %q found %v, %v; want %v", search, addresses(page), err, want)
			}
		}
		if w, err := f.PreviewWave(t.Context(), wave.Wave{Who: wave.Who{Search: search}}); len(want) > 0 && (err != nil || w.Total != 1) {
			t.Errorf("a wave of %q has %d people, %v", search, w.Total, err)
		}
	}
	const want = "ada@xn--bcher-kva.example"
	typed := []string{"büch", "BÜCH", "bu\u0308ch", "bü", "a@bü", "ücher.ex", "bücher.example", "xn--bch", "bcher-kva", "Ada@Bücher.example"}
	for _, search := range typed {
		look(search, want)
	}
	look("büsch")

	// As the previous version of the service has written it.
	if _, err := f.pool.Exec(t.Context(), "UPDATE waitlist_users SET spelled = ''"); err != nil {
		t.Fatal(err)
	}
	look("büch")
	errtest.None(t, f.Spelling().Run(t.Context()))
	for _, search := range typed {
		look(search, want)
	}
}

func TestSearchPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	for n := range 5 {
		f.clock.Advance(time.Second)
		f.joined(fmt.Sprintf("match%d@example.com", n))
		f.joined(fmt.Sprintf("other%d@example.com", n))
	}
	first, err := f.List(t.Context(), store.Filter{Search: "match"}, nil, 3)
	if err != nil || first.Next == nil {
		t.Fatalf("first page %+v, %v", first, err)
	}
	second, err := f.List(t.Context(), store.Filter{Search: "match"}, first.Next, 3)
	got := append(addresses(first), addresses(second)...)
	want := []string{"match4@example.com", "match3@example.com", "match2@example.com", "match1@example.com", "match0@example.com"}
	if err != nil || second.Next != nil || !slices.Equal(got, want) {
		t.Errorf("found %v, %v; want %v", got, err, want)
	}
}

func addresses(page store.Page) []string {
	var list []string
	for _, e := range page.Entries {
		list = append(list, e.Email.String())
	}
	return list
}

func TestSearchKnowsADomainInEitherSpelling(t *testing.T) {
	t.Parallel()
	f := newFixture(t, patient)
	f.joined("ada@bücher.example")
	f.joined("ada@example.com")
	for _, search := range []string{"bücher", "BÜCHER.example", "ada@bücher.example", "da@bücher", "xn--bcher-kva"} {
		for _, filter := range []store.Filter{{Search: search}, {Search: search, Status: entry.Pending}} {
			page, err := f.List(t.Context(), filter, nil, store.MaxPage)
			if got := addresses(page); err != nil || !slices.Equal(got, []string{"ada@xn--bcher-kva.example"}) {
				t.Errorf("%+v finds %q, %v", filter, got, err)
			}
		}
	}
}
