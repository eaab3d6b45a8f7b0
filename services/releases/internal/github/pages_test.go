package github_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/releases/internal/github"
)

func TestUnchangedPagesAreNotSentAgain(t *testing.T) {
	body := releasesJSON(t)
	var full, not atomic.Int32
	c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `W/"one"`)
		if r.Header.Get("If-None-Match") == `W/"one"` {
			not.Add(1)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		full.Add(1)
		answer(w, body)
	})
	first, err := c.List(t.Context(), nil)
	errtest.None(t, err)
	second, err := c.List(t.Context(), first.Pages)
	errtest.None(t, err)
	if full.Load() != 1 || not.Load() != 1 || !second.Unchanged || !second.Complete {
		t.Fatalf("%d full, %d not modified, %+v", full.Load(), not.Load(), second)
	}
	if len(second.Releases) != len(first.Releases) || len(second.Pages) != 2 {
		t.Errorf("a 304 must stand for the same listing: %d releases, %d pages", len(second.Releases), len(second.Pages))
	}
}

func paged(t *testing.T, n int, changed *atomic.Int32) *github.Client {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		var page int
		if _, err := fmt.Sscan(r.URL.Query().Get("page"), &page); err != nil {
			t.Error(err)
		}
		patch := 0
		if int32(page) == changed.Load() {
			patch = 1
		}
		etag := fmt.Sprintf(`W/"%d-%d"`, page, patch)
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		if page < n {
			w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=%d&per_page=100>; rel="next"`, r.Host, r.URL.Path, page+1))
		}
		answer(w, fmt.Appendf(nil, `[{"id":%d,"tag_name":"v1.%d.%d","created_at":"2026-01-0%dT00:00:00Z","published_at":"2026-01-0%dT00:00:00Z"}]`, page, page, patch, 9-page, page))
	})
}

func TestPagesAreFollowedAndRemembered(t *testing.T) {
	var changed atomic.Int32
	c := paged(t, 3, &changed)
	first, err := c.List(t.Context(), nil)
	if err != nil || len(first.Releases) != 3 || !first.Complete || len(first.Pages) != 4 {
		t.Fatalf("%+v, %v", first, err)
	}
	changed.Store(2)
	second, err := c.List(t.Context(), first.Pages)
	if err != nil || len(second.Releases) != 3 || second.Unchanged || second.Releases[1].Version != "1.2.1" {
		t.Fatalf("one page changed: %+v, %v", second, err)
	}
	third, err := c.List(t.Context(), second.Pages)
	if err != nil || !third.Unchanged {
		t.Fatalf("nothing changed: %+v, %v", third, err)
	}
}

func TestAFullPageIsNotTakenForTheLast(t *testing.T) {
	for all, pages := range map[int]int{99: 1, 100: 2, 150: 2} {
		var asked atomic.Int32
		got, err := serve(t, func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			first := 0
			if r.URL.Query().Get("page") == "2" {
				first = 100
			}
			var page []string
			for n := first; n < min(all, first+100); n++ {
				page = append(page, fmt.Sprintf(`{"id":%d,"tag_name":"v1.%d.0","published_at":"2026-01-01T00:00:00Z"}`, n+1, n))
			}
			answer(w, []byte("["+strings.Join(page, ",")+"]"))
		}).List(t.Context(), nil)
		if err != nil || !got.Complete || len(got.Releases) != all || int(asked.Load()) != pages {
			t.Errorf("%d: %d releases by %d requests, complete %t, %v", all, len(got.Releases), asked.Load(), got.Complete, err)
		}
	}
}

func TestTheMirrorIsBounded(t *testing.T) {
	var changed atomic.Int32
	got, err := paged(t, 9, &changed).List(t.Context(), nil)
	if err != nil || got.Complete || len(got.Releases) != 3 || !got.Until.Equal(time.Date(2026, 1, 6, 0, 0, 0, 0, time.UTC)) {
		t.Fatalf("%d releases, complete %t, %v", len(got.Releases), got.Complete, err)
	}
}

func TestWhereAListingEnds(t *testing.T) {
	const release = `{"id":%d,"tag_name":"%s","created_at":"2026-01-%02dT00:00:00Z","published_at":"2026-01-%02dT00:00:00Z","draft":%t}`
	line := func(id int, tag string, created, published int, draft bool) string {
		return fmt.Sprintf(release, id, tag, created, published, draft)
	}
	for name, tc := range map[string]struct {
		list []string
		want int // the day, 0 for unknown
	}{
		"a tag that moves, published first": {[]string{line(1, "nightly", 20, 1, false), line(2, "v1.1.0", 19, 19, false), line(3, "v1.0.0", 18, 18, false)}, 18},
		"published late":                    {[]string{line(2, "v1.1.0", 19, 19, false), line(3, "v1.0.0", 18, 25, false)}, 18},
		"a draft":                           {[]string{line(2, "v1.1.0", 19, 19, false), line(4, "v2.0.0", 25, 25, true), line(3, "v1.0.0", 18, 25, false)}, 18},
		"another order":                     {[]string{line(3, "v1.0.0", 18, 18, false), line(2, "v1.1.0", 19, 19, false)}, 0},
		"drafts alone":                      {[]string{line(4, "v2.0.0", 25, 25, true)}, 0},
	} {
		got, err := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			answer(w, []byte("["+strings.Join(tc.list, ",")+"]"))
		}).List(t.Context(), nil)
		want := time.Time{}
		if tc.want > 0 {
			want = time.Date(2026, 1, tc.want, 0, 0, 0, 0, time.UTC)
		}
		if err != nil || !got.Until.Equal(want) {
			t.Errorf("%s: until %s, want %s, %v", name, got.Until, want, err)
		}
	}
}

// shifting is a list of releases with as many pages as it needs, newest first, that changes while it is read.
type shifting struct {
	t      *testing.T
	ids    []int
	asked  int
	change func(s *shifting, page int) // before the answer
}

func (s *shifting) serve(w http.ResponseWriter, r *http.Request) {
	s.asked++
	var page int
	if _, err := fmt.Sscan(r.URL.Query().Get("page"), &page); err != nil {
		s.t.Error(err)
	}
	if s.change != nil {
		s.change(s, page)
	}
	from, to := min(len(s.ids), (page-1)*100), min(len(s.ids), page*100)
	var list []string
	for _, id := range s.ids[from:to] {
		at := time.Date(2026, 1, 1, 0, 0, id, 0, time.UTC).Format(time.RFC3339)
		list = append(list, fmt.Sprintf(`{"id":%d,"tag_name":"v1.%d.0","created_at":"%s","published_at":"%s"}`, id, id, at, at))
	}
	body := "[" + strings.Join(list, ",") + "]"
	etag := fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(body)))
	w.Header().Set("ETag", etag)
	if to < len(s.ids) {
		w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=%d&per_page=100>; rel="next"`, r.Host, r.URL.Path, page+1))
	}
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	answer(w, []byte(body))
}

// TestPagesThatShiftWhileTheyAreRead lose no release, and tell of none twice: what is not found would be hidden, and
// its rollout begin again.
func TestPagesThatShiftWhileTheyAreRead(t *testing.T) {
	upTo := func(n int) (ids []int) {
		for id := n; id > 0; id-- {
			ids = append(ids, id)
		}
		return ids
	}
	without := func(s *shifting, id int) { s.ids = slices.DeleteFunc(s.ids, func(i int) bool { return i == id }) }
	once := func(change func(s *shifting)) func(*shifting, int) {
		return func(s *shifting, page int) {
			if page == 2 && s.change != nil {
				s.change = nil
				change(s)
			}
		}
	}
	for name, tc := range map[string]struct {
		change func(s *shifting, page int)
		found  int // 0 for an error
		asked  int
	}{
		"nothing":                       {nil, 250, 3},
		"one more, which is seen later": {once(func(s *shifting) { s.ids = append([]int{251}, s.ids...) }), 250, 3},
		"one of the first page less":    {once(func(s *shifting) { without(s, 200) }), 249, 9},
		"one of the last page less":     {once(func(s *shifting) { without(s, 3) }), 249, 6},
		"one after the other": {func(s *shifting, page int) {
			if page == 2 {
				without(s, s.ids[0])
			}
		}, 0, 9},
	} {
		s := &shifting{t: t, ids: upTo(250)}
		c := serve(t, s.serve)
		first, err := c.List(t.Context(), nil)
		if err != nil || len(first.Releases) != 250 {
			t.Fatalf("%s: %d releases, %v", name, len(first.Releases), err)
		}
		s.asked, s.change = 0, tc.change
		got, err := c.List(t.Context(), first.Pages)
		if len(got.Releases) != tc.found || (err == nil) != (tc.found > 0) || s.asked != tc.asked || len(got.Skipped) > 0 {
			t.Errorf("%s: %d releases by %d requests, %q, %v", name, len(got.Releases), s.asked, got.Skipped, err)
		}
		if err != nil {
			continue
		}
		s.change = nil
		if last, err := c.List(t.Context(), got.Pages); err != nil || len(last.Releases) != len(s.ids) || len(last.Pages) != 4 {
			t.Errorf("%s: then %d releases on %d pages, %v", name, len(last.Releases), len(last.Pages), err)
		}
	}
}
