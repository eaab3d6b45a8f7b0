package overload

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func load(name string, goodput float64, refusal time.Duration, wrong int) Sample {
	return Sample{Name: name, Goodput: goodput, Refused: Times{Answers: 1, P99: refusal}, Wrong: wrong}
}

func TestAPromiseIsBrokenByAnyLoad(t *testing.T) {
	for name, tc := range map[string]struct {
		load Sample
		want string
	}{
		"kept":          {load("5×", 80, refusal, 0), ""},
		"collapsed":     {load("5×", 79, refusal, 0), "79 % of the peak"},
		"slow refusals": {load("5×", 100, refusal+time.Millisecond, 0), "a refusal takes"},
		"wrong answers": {load("5×", 100, 0, 1), "neither done nor refused"},
	} {
		r := Report{Peak: load("peak", 100, 0, 0), After: load("after", 100, 0, 0), Loads: []Sample{tc.load}}
		var page strings.Builder
		r.Print(&page)
		if r.OK() != (tc.want == "") || !strings.Contains(page.String(), tc.want) {
			t.Errorf("%s: %t, %s", name, r.OK(), &page)
		}
		if r = (Report{Peak: r.Peak, After: tc.load}); r.OK() != (tc.want == "") {
			t.Errorf("%s afterwards: %t", name, r.OK())
		}
	}
}

// TestTheSenderTellsAnswersApart, over connections that the server closes at times.
func TestTheSenderTellsAnswersApart(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch len(r.URL.Path) % 4 {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			w.WriteHeader(http.StatusInternalServerError)
		case 3:
			w.Header().Set("Connection", "close")
		}
	}))
	defer server.Close()
	s := &sender{addr: server.Listener.Addr().String(), request: func(n int) []byte {
		return fmt.Appendf(nil, "GET /%s HTTP/1.1\r\nHost: test\r\n\r\n", strings.Repeat("x", 3+n%4))
	}}
	for _, rate := range []float64{0, 400} {
		got := s.run(t.Context(), "some", rate, 4, 200*time.Millisecond)
		all := got.Good.Answers + got.Refused.Answers + got.Wrong
		if all < 20 || got.Good.Answers < all/2-4 || got.Refused.Answers < all/4-4 || got.Wrong < all/4-4 || got.Wrong > all/4+4 {
			t.Errorf("at %.0f a second: %+v", rate, got)
		}
		if rate > 0 && got.Offered > 1.2*rate {
			t.Errorf("%.0f were sent a second instead of %.0f", got.Offered, rate)
		}
	}
}
