package load

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fledge.dev/deploy/local/person"
)

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
	s := &Sender{Addr: server.Listener.Addr().String(), Request: func(n int) []byte {
		return fmt.Appendf(nil, "GET /%s HTTP/1.1\r\nHost: test\r\n\r\n", strings.Repeat("x", 3+n%4))
	}}
	for _, rate := range []float64{0, 400} {
		got := s.Run(t.Context(), "some", rate, 4, 200*time.Millisecond)
		all := got.Good.Answers + got.Refused.Answers + got.Wrong
		if all < 20 || got.Good.Answers < all/2-4 || got.Refused.Answers < all/4-4 || got.Wrong < all/4-4 || got.Wrong > all/4+4 {
			t.Errorf("at %.0f a second: %+v", rate, got)
		}
		if rate > 0 && got.Offered > 1.2*rate {
			t.Errorf("%.0f were sent a second instead of %.0f", got.Offered, rate)
		}
	}
}

// TestVisitorsSignUp: a sign-up with the admin's bearer would take another way than theirs.
func TestVisitorsSignUp(t *testing.T) {
	request := Mix("http://site.test", person.New("http://site.test"), "/api/one", "/api/two")
	for n := range 4 {
		got := string(request(n))
		if SignsUp(n) != strings.HasPrefix(got, "POST /api/add-waitlist-user ") || SignsUp(n) == strings.Contains(got, "Authorization: ") {
			t.Errorf("request %d is %q", n, got)
		}
	}
}
