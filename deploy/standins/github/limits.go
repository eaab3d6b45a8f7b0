package github

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Primary rate limits, in requests an hour
// (https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api).
const (
	anonymousLimit  = 60
	authorisedLimit = 5000
	limitWindow     = time.Hour
	secondaryLimits = "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits"
)

// Usage counts what the API was asked since the start.
type Usage struct {
	// Requests were answered, whatever the answer.
	Requests int
	// NotModified of them were answered 304.
	NotModified int
	// Charged of them counted against the rate limit.
	Charged int
	// TooSoon of them came while the secondary limit said to wait.
	TooSoon int
}

// Usage returns the API's counters.
func (s *Server) Usage() Usage { return s.limits.snapshot() }

// ExhaustRateLimit makes further requests fail as over the limit until reset.
func (s *Server) ExhaustRateLimit(reset time.Time) { s.limits.exhaust(reset) }

// LimitSecondary makes requests until then fail as over a secondary limit, which bounds what comes at once
// however much of the hour is left. A time that is past ends it.
func (s *Server) LimitSecondary(until time.Time) { s.limits.limitSecondary(until) }

type limits struct {
	mu         sync.Mutex
	usage      Usage
	secondary  time.Time
	anonymous  window
	authorised window
}

type window struct {
	limit, used int
	reset       time.Time
}

func newLimits() *limits {
	return &limits{anonymous: window{limit: anonymousLimit}, authorised: window{limit: authorisedLimit}}
}

func (l *limits) snapshot() Usage {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.usage
}

func (l *limits) exhaust(reset time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range []*window{&l.anonymous, &l.authorised} {
		w.used, w.reset = w.limit, reset
	}
}

func (l *limits) limitSecondary(until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.secondary = until
}

// tooSoon is for how long the secondary limit says to wait, if it does.
func (l *limits) tooSoon() (wait time.Duration, limited bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if wait = time.Until(l.secondary); wait <= 0 {
		return 0, false
	}
	l.usage.Requests++
	l.usage.TooSoon++
	return wait, true
}

// wrap is middleware that checks the bearer token and enforces the rate limit. Invalid
// tokens get 401 as at GitHub, whether or not the data is public.
func (l *limits) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given := r.Header.Get("Authorization")
		authorised := authorised(r)
		if given != "" && !authorised {
			writeError(w, http.StatusUnauthorized, "Bad credentials")
			return
		}
		if wait, limited := l.tooSoon(); limited {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
			writeErrorOf(w, http.StatusForbidden, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.", secondaryLimits)
			return
		}
		win := &l.anonymous
		if authorised {
			win = &l.authorised
		}
		if !l.charge(win, w.Header()) {
			writeError(w, http.StatusForbidden, "API rate limit exceeded for "+r.RemoteAddr+".")
			return
		}
		rec := &statusRecorder{ResponseWriter: w, onStatus: func(status int) { l.refund(win, authorised, status, w.Header()) }}
		next.ServeHTTP(rec, r)
	})
}

func (l *limits) charge(win *window, h http.Header) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.usage.Requests++
	if now := time.Now(); !now.Before(win.reset) {
		win.used, win.reset = 0, now.Add(limitWindow)
	}
	ok := win.used < win.limit
	if ok {
		win.used++
		l.usage.Charged++
	}
	win.describe(h)
	return ok
}

// refund gives authorised callers back what a 304 was charged, for whom it does not count.
func (l *limits) refund(win *window, authorised bool, status int, h http.Header) {
	if status != http.StatusNotModified {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.usage.NotModified++
	if authorised {
		win.used--
		l.usage.Charged--
	}
	win.describe(h)
}

func (w *window) describe(h http.Header) {
	h.Set("X-RateLimit-Limit", strconv.Itoa(w.limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(w.limit-w.used))
	h.Set("X-RateLimit-Used", strconv.Itoa(w.used))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(w.reset.Unix(), 10))
	h.Set("X-RateLimit-Resource", "core")
}

func authorised(r *http.Request) bool {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return (strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "token")) && token == Token
}

type statusRecorder struct {
	http.ResponseWriter
	onStatus func(status int)
}

func (r *statusRecorder) WriteHeader(status int) {
	r.onStatus(status)
	r.ResponseWriter.WriteHeader(status)
}
