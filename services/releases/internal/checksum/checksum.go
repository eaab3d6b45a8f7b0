// Package checksum works out the SHA-512 of update archives, which electron-updater
// demands and GitHub does not provide.
//
// They come from the archives' bytes alone, read once after each upload. The feed that
// electron-builder uploads beside them has checksums too, and they are not used: an archive
// that was signed again after the feed was written has the same name, often the same size,
// and other bytes, which every Mac would download and refuse.
package checksum

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/releases/internal/release"
)

const (
	// interval lies between two looks of our own accord.
	interval = time.Minute
	// retryAfter follows a failure, of this replica or of one that died.
	retryAfter = 15 * time.Minute
	// runTimeout bounds the work on one release, and lies below retryAfter so that
	// no two replicas are at the same one.
	runTimeout = 10 * time.Minute
	// readTimeout bounds its downloads, and leaves time to keep what they gave.
	readTimeout = runTimeout - time.Minute
)

// The outcomes of work on a release.
const (
	hashed = "hashed"
	failed = "failed"
)

// Store knows which checksums are missing.
type Store interface {
	// ClaimChecksums takes the newest available release with an archive that has no
	// checksum, and keeps it from everybody else for as long as retry. ok is false when
	// there is nothing to do.
	ClaimChecksums(ctx context.Context, retry time.Duration) (r release.Release, ok bool, err error)
	// PutChecksums keeps checksums by GitHub's ids of the assets.
	PutChecksums(ctx context.Context, version release.Version, sums map[int64]string) error
}

// Finder works on one release at a time. Safe for concurrent use.
type Finder struct {
	store   Store
	fetch   Fetcher
	log     *slog.Logger
	changed func()
	found   *prometheus.CounterVec
	woken   chan struct{}
}

// New returns a finder that calls changed after it has found something. Its metrics
// are registered with reg.
func New(store Store, fetch Fetcher, log *slog.Logger, reg prometheus.Registerer, changed func()) (*Finder, error) {
	found := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "releases_checksums_total",
		Help: "Attempts to find the checksums of a release's archives, by outcome.",
	}, []string{"outcome"})
	for _, outcome := range []string{hashed, failed} { // so that the first failure is an increase
		found.WithLabelValues(outcome)
	}
	return &Finder{store: store, fetch: fetch, log: log, changed: changed, found: found, woken: make(chan struct{}, 1)}, reg.Register(found)
}

// Wake has the finder look soon.
func (f *Finder) Wake() {
	select {
	case f.woken <- struct{}{}:
	default: // it will look anyway
	}
}

// Task looks at the start, when woken, and at intervals. A run is for one release, which it
// claims in the database, so that replicas share the work; after one the next follows at once.
func (f *Finder) Task() periodic.Task {
	return periodic.Task{Name: "checksums", Every: interval, Timeout: runTimeout, Wake: f.woken, Run: func(ctx context.Context) error {
		more, err := f.FindNext(ctx)
		if more {
			f.Wake()
		}
		return err
	}}
}

// FindNext works on one release and reports whether there was one. It fails only if the
// database does not answer; a release without checksums is logged.
func (f *Finder) FindNext(ctx context.Context) (more bool, err error) {
	r, ok, err := f.store.ClaimChecksums(ctx, retryAfter)
	if err != nil || !ok {
		return false, err
	}
	outcome, err := f.work(ctx, r)
	f.found.WithLabelValues(outcome).Inc()
	if err != nil && ctx.Err() == nil {
		f.log.WarnContext(ctx, "checksums are missing, so the release is not offered as an update", "version", r.Version, "error", err)
	}
	return true, nil
}

// work keeps what it has found even if another archive fails or takes too long.
func (f *Finder) work(ctx context.Context, r release.Release) (outcome string, err error) {
	reading, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	outcome = hashed
	sums := map[int64]string{}
	for _, a := range r.Assets {
		if !a.NeedsChecksum() {
			continue
		}
		sum, hashErr := f.hash(reading, a)
		if hashErr != nil {
			outcome, err = failed, hashErr
			continue
		}
		sums[a.GitHubID] = sum
	}
	if len(sums) > 0 {
		if putErr := f.store.PutChecksums(ctx, r.Version, sums); putErr != nil {
			return failed, putErr
		}
		f.changed()
	}
	return outcome, err
}
