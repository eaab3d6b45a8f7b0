// Package mirror keeps our copy of GitHub's releases up to date.
//
// Replicas share the work through one row of the database: a run is claimed there
// before GitHub is asked. So there is one request, however many replicas tick or admins
// press Refresh, and a failure makes all of them wait. The row is both the schedule and
// the circuit breaker, and survives restarts; for a single job a job queue would not do
// better.
//
// While GitHub is down, the last good copy stays; so it does when GitHub suddenly lists nothing.
package mirror

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"fledge.dev/services/platform/clock"
)

const (
	// runTimeout bounds one run; the claim outlives it, so that a slow replica
	// has given up before another may begin.
	runTimeout = 15 * time.Second
	claimFor   = 20 * time.Second
	// firstRetry follows a failure and doubles with each further one, up to
	// the regular interval.
	firstRetry = 15 * time.Second
	// LongestRest bounds how long GitHub can tell us to stay away.
	LongestRest = time.Hour
	// doubtFor is how long GitHub has to list no release, where it listed some, or those of another repository of the
	// same name, until it is believed: a fault on its side, another repository's name in our settings, or somebody who
	// took the name after ours was renamed, would take the download off the site.
	doubtFor = 6 * time.Hour
)

// Listings that are not believed yet.
var (
	errEmpty = fmt.Errorf("GitHub lists no release any more; what it listed stays for %s", doubtFor)
	errOther = fmt.Errorf("GitHub has another repository of this name; what the one before listed stays for %s", doubtFor)
)

// Config is how the mirror behaves.
type Config struct {
	// Repository is "owner/name".
	Repository string
	// Interval lies between two looks at GitHub.
	Interval time.Duration
	// Spacing lies at least between two looks, asked for or not.
	Spacing time.Duration
	// Tick is how often a replica checks whether a look is due.
	Tick time.Duration
	// InitiallyAvailable is the availability of releases seen for the first time, see Store.Apply.
	InitiallyAvailable bool
	// Changed is called after the copy has changed.
	Changed func()
}

// Mirror copies the releases of GitHub. Safe for concurrent use.
type Mirror struct {
	cfg     Config
	github  Lister
	store   Store
	clock   clock.Clock
	log     *slog.Logger
	metrics *metrics
	wake    chan struct{}

	mu      sync.Mutex
	applied bool            // by this process; only then may it trust a 304
	name    string          // the repository's other name that was logged
	skipped map[string]bool // what was logged of the last listing
	asked   bool            // for the next run, whether due or not
	waiting []chan struct{} // closed at the end of the next run
}

// Outcome is how a run ended; it labels the metric.
type Outcome string

// The outcomes of a run. NotOurs means that it was not due, another replica's,
// or too soon.
const (
	Applied     Outcome = "applied"
	Unchanged   Outcome = "unchanged"
	NotOurs     Outcome = "not_ours"
	RateLimited Outcome = "rate_limited"
	Failed      Outcome = "failed"
)

// Sync compares with GitHub if a run is due, or if asked is set, and returns the outcome. An
// error says why GitHub gave no answer.
func (m *Mirror) Sync(ctx context.Context, asked bool) (Outcome, error) {
	outcome, err := m.sync(ctx, asked)
	m.metrics.runs.WithLabelValues(string(outcome)).Inc()
	if err != nil {
		err = fmt.Errorf("releases not refreshed, %s: %w", outcome, err)
	}
	return outcome, err
}

func (m *Mirror) sync(ctx context.Context, asked bool) (Outcome, error) {
	failures, ours, err := m.store.Claim(ctx, m.cfg.Repository, claimFor, asked)
	if err != nil {
		return Failed, err
	}
	if !ours {
		return NotOurs, m.observeAge(ctx)
	}
	known, err := m.store.Pages(ctx)
	if err != nil {
		return Failed, err
	}
	listing, err := m.github.List(ctx, known)
	if err == nil {
		err = m.believe(ctx, listing)
	}
	if err != nil {
		return m.rest(ctx, failures, err)
	}
	return m.keep(ctx, listing)
}

// believe fails for a doubtful listing while GitHub has listed releases lately, see doubtFor.
func (m *Mirror) believe(ctx context.Context, listing Listing) error {
	var doubt error
	if len(listing.Releases) == 0 {
		doubt = errEmpty
	}
	id, err := m.store.RepositoryID(ctx, m.cfg.Repository)
	if id != 0 && listing.ID != 0 && listing.ID != id {
		doubt = errOther
	}
	if err != nil || doubt == nil {
		return err
	}
	listed, err := m.store.Listed(ctx, doubtFor)
	if err == nil && listed {
		err = doubt
	}
	return err
}

// keep stores what was found and ends the run.
func (m *Mirror) keep(ctx context.Context, listing Listing) (Outcome, error) {
	run := Run{Repository: m.cfg.Repository, RepositoryID: listing.ID, Due: m.cfg.Interval, Held: m.cfg.Spacing}
	defer m.metrics.checkedAt(m.clock.Now())
	m.metrics.tokenEndsAt(listing.TokenEnds)
	m.noteName(ctx, listing.Name)
	if listing.Unchanged && m.hasApplied() {
		return Unchanged, m.store.Finish(ctx, run)
	}
	m.noteSkipped(ctx, listing.Skipped)
	undecided, err := m.store.Apply(ctx, run, listing, m.cfg.InitiallyAvailable)
	if err != nil {
		return Failed, err
	}
	for _, version := range undecided.Replaced {
		m.metrics.withdrawn.WithLabelValues(replaced).Inc()
		m.log.WarnContext(ctx, "release disabled, because its files were replaced", "version", version)
	}
	for _, version := range undecided.Promoted {
		m.log.WarnContext(ctx, "release stays on its channel until staff choose one, though it is no longer a prerelease on GitHub", "version", version)
	}
	m.mu.Lock()
	m.applied = true
	m.mu.Unlock()
	m.cfg.Changed()
	return Applied, nil
}

// noteName logs once that the repository was renamed. GitHub redirects from the old name until
// somebody makes a repository of that name.
func (m *Mirror) noteName(ctx context.Context, name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if name == "" || name == m.name || strings.EqualFold(name, m.cfg.Repository) {
		return
	}
	m.name = name
	m.log.WarnContext(ctx, "the repository has another name now: set GITHUB_OWNER and GITHUB_REPO to it", "from", m.cfg.Repository, "to", name)
}

// noteSkipped logs what is left out, once as long as it is there: GitHub's counts of downloads make a new listing
// every few minutes, and other products' releases in the repository stay for years.
func (m *Mirror) noteSkipped(ctx context.Context, lines []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.skipped
	m.skipped = make(map[string]bool, len(lines))
	for _, line := range lines {
		if m.skipped[line] = true; !known[line] {
			m.log.WarnContext(ctx, "a GitHub release, or a file of one, is not listed", "what", line)
		}
	}
}

// rest ends a run that brought no answer and says when the next may follow.
func (m *Mirror) rest(ctx context.Context, failures int, cause error) (Outcome, error) {
	if errors.Is(cause, context.Canceled) {
		return Failed, cause // we are stopping; GitHub has done nothing wrong
	}
	outcome, rest := Failed, min(m.cfg.Interval, firstRetry<<min(failures, 10))
	if limited, ok := errors.AsType[*RateLimitedError](cause); ok {
		outcome, rest = RateLimited, max(rest, limited.Wait)
	}
	rest = min(rest, LongestRest)
	// The run's time may be what GitHub has used up.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return outcome, errors.Join(cause, m.store.Fail(ctx, m.cfg.Repository, rest))
}

func (m *Mirror) observeAge(ctx context.Context) error {
	at, err := m.store.LastCheck(ctx, m.cfg.Repository)
	if err == nil {
		m.metrics.checkedAt(at)
	}
	return err
}

func (m *Mirror) hasApplied() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.applied
}
