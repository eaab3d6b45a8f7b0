package route_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
)

// FuzzQuery: a query that passes means the same to every parser: each of the route's
// parameters at most once, as text.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"status=open&limit=10", "status=a&status=b", "status[]=x", "a;b", "%zz", "status=%00", "status=%ff", "limit=1&LIMIT=2", "&&status=x&", "=x", "status", "status=%25%32%35", "search=a+b%20c", "__proto__=x", "search=" + strings.Repeat("%41", 300),
	} {
		f.Add(seed)
	}
	names := []string{"status", "search", "limit"}
	check := route.CheckQuery(names)
	f.Fuzz(func(t *testing.T, raw string) {
		rec := httptest.NewRecorder()
		c, _ := gin.CreateTestContext(rec)
		c.Request = &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/", RawQuery: raw}, Header: http.Header{}}
		check(c)
		if c.IsAborted() {
			if rec.Code != http.StatusBadRequest {
				t.Fatalf("%q: %d", raw, rec.Code)
			}
			return
		}
		var seen []string
		for part := range strings.SplitSeq(raw, "&") {
			if part == "" {
				continue
			}
			name, value, _ := strings.Cut(part, "=")
			name, err := url.QueryUnescape(name)
			text, valueErr := url.QueryUnescape(value)
			if err != nil || valueErr != nil || strings.Contains(part, ";") || slices.Contains(seen, name) || !slices.Contains(names, name) {
				t.Fatalf("%q passes", raw)
			}
			if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
				t.Fatalf("%q lets %q through", raw, text)
			}
			seen = append(seen, name)
		}
	})
}
