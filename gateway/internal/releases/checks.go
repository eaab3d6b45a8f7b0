package releases

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
)

// What the app may say of itself when it looks for an update.
const (
	versionHeader = "X-App-Version"
	archHeader    = "X-App-Arch"
	macOSHeader   = "X-Macos-Version"
	// maxSaid is more than any of the three has; what is longer says nothing.
	maxSaid = maxVersion
)

const (
	// maxChecks is how many different checks wait at most; the service takes no more at once.
	// Those that find no place are not counted.
	maxChecks = 1000
	// maxCount is the most that the service takes of one check at once; the rest follows.
	maxCount = 1_000_000
	// checksTimeout is how long the service may take to count.
	checksTimeout = 5 * time.Second
)

// check is what one count is about.
type check struct {
	channel              releasesv1.Channel
	version, arch, macOS string
}

// checks has update checks counted, without delaying them: those that come while the service
// is told are told next. What it refuses waits for the next check; the log has a line when that
// begins and one when it ends.
type checks struct {
	releases releasesv1.ReleasesServiceClient
	log      *slog.Logger

	mu      sync.Mutex
	waiting map[check]int64
	telling bool
	behind  bool // what was told last has been refused
}

// count counts a check on a channel by what the app says; version and arch are those of
// Squirrel's address, or empty. HEAD is no check: it is how monitoring looks.
func (s *checks) count(c *gin.Context, channel releasesv1.Channel, version, arch string) {
	if c.Request.Method == http.MethodHead {
		return
	}
	seen := check{channel, version, arch, said(c, macOSHeader)}
	if version == "" {
		seen.version, seen.arch = said(c, versionHeader), said(c, archHeader)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting[seen] > 0 || len(s.waiting) < maxChecks {
		s.waiting[seen]++
	}
	if !s.telling {
		s.telling = true
		go s.tellAll(context.WithoutCancel(c.Request.Context()))
	}
}

func said(c *gin.Context, header string) string {
	if value := c.GetHeader(header); isName(value, maxSaid) {
		return value
	}
	return ""
}

// tellAll tells until nothing waits, or the service does not take it.
func (s *checks) tellAll(ctx context.Context) {
	for {
		counts := s.take()
		if len(counts) == 0 {
			return
		}
		err := s.tell(ctx, counts)
		s.mu.Lock()
		was := s.behind
		s.behind = err != nil
		s.mu.Unlock()
		switch {
		case err == nil && was:
			s.log.InfoContext(ctx, "update checks are counted again")
		case err != nil && !was:
			s.log.WarnContext(ctx, "update checks could not be counted and wait until they can", "error", err)
		}
		if err != nil {
			s.keep(counts)
			return
		}
	}
}

// take returns what is to be told next, and leaves what is too much for once.
func (s *checks) take() map[check]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	counts := s.waiting
	s.waiting = map[check]int64{}
	for c, n := range counts {
		if n > maxCount {
			counts[c], s.waiting[c] = maxCount, n-maxCount
		}
	}
	s.telling = len(counts) > 0
	return counts
}

func (s *checks) tell(ctx context.Context, counts map[check]int64) error {
	ctx, cancel := context.WithTimeout(ctx, checksTimeout)
	defer cancel()
	req := &releasesv1.CountUpdateChecksRequest{}
	for c, n := range counts {
		req.Checks = append(req.Checks, &releasesv1.UpdateChecks{Channel: c.channel, Version: c.version, Arch: c.arch, MacosVersion: c.macOS, Count: n})
	}
	_, err := s.releases.CountUpdateChecks(ctx, req)
	return err
}

func (s *checks) keep(counts map[check]int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.telling = false
	for c, n := range counts {
		if s.waiting[c] > 0 || len(s.waiting) < maxChecks {
			s.waiting[c] += n
		}
	}
}
