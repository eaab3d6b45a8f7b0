package releases

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"google.golang.org/grpc"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/fault"
)

// countsOnly is a service that takes no more of one check than it promises, and nothing while it
// is away.
type countsOnly struct {
	releasesv1.ReleasesServiceClient
	away  bool
	calls int
	total int64
}

func (s *countsOnly) CountUpdateChecks(_ context.Context, req *releasesv1.CountUpdateChecksRequest, _ ...grpc.CallOption) (*releasesv1.CountUpdateChecksResponse, error) {
	s.calls++
	if s.away {
		return nil, fault.New(fault.Unavailable, "unavailable", "Please try again.")
	}
	for _, c := range req.GetChecks() {
		if c.GetCount() > 1_000_000 {
			return nil, fault.New(fault.Invalid, "invalid_checks", "Too many at once.")
		}
		s.total += c.GetCount()
	}
	return &releasesv1.CountUpdateChecksResponse{}, nil
}

// TestHEADIsNoCheck: it asks for no feed.
func TestHEADIsNoCheck(t *testing.T) {
	s := &checks{releases: &countsOnly{}, log: slog.New(slog.DiscardHandler), waiting: map[check]int64{}}
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequestWithContext(t.Context(), http.MethodHead, "/api/updates/latest-mac.yml", nil)
	s.count(c, releasesv1.Channel_CHANNEL_STABLE, "", "")
	if s.telling || len(s.waiting) != 0 {
		t.Errorf("%v wait", s.waiting)
	}
}

// TestALongOutageOfTheCount loses nothing, however much has waited, and has one line in the log
// when it begins and one when it ends.
func TestALongOutageOfTheCount(t *testing.T) {
	var log bytes.Buffer
	service := &countsOnly{away: true}
	busy, quiet := check{version: "1.0.0"}, check{version: "2.0.0"}
	s := &checks{releases: service, log: slog.New(slog.NewTextHandler(&log, nil)), waiting: map[check]int64{busy: 2_000_001, quiet: 1}}
	for range 3 {
		s.tellAll(t.Context())
	}
	service.away = false
	for range 2 {
		s.tellAll(t.Context())
	}
	if service.total != 2_000_002 || service.calls != 6 || len(s.waiting) != 0 || s.telling {
		t.Errorf("%d counted in %d calls, %v wait", service.total, service.calls, s.waiting)
	}
	if begin, end := strings.Count(log.String(), "could not be counted"), strings.Count(log.String(), "counted again"); begin != 1 || end != 1 {
		t.Errorf("the log:\n%s", &log)
	}
}
