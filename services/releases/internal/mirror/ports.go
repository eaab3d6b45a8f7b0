package mirror

import (
	"context"
	"fmt"
	"time"

	"fledge.dev/services/releases/internal/release"
)

// Lister asks GitHub for the releases. Pages that have not changed since known
// are not sent again. It fails with *RateLimitedError when GitHub wants a pause.
type Lister interface {
	List(ctx context.Context, known []Page) (Listing, error)
}

// Store keeps the copy and the runs.
type Store interface {
	// Claim reserves the next run for this replica, and holds it so long. It is refused (ok
	// false) while another replica runs or GitHub needs rest, and,
	// unless asked is set, before the next look is due. failures counts the
	// failed runs since GitHub last answered.
	Claim(ctx context.Context, repository string, held time.Duration, asked bool) (failures int, ok bool, err error)
	// Want makes a run due, however soon after the last one began. The run
	// that answers it begins after this call.
	Want(ctx context.Context, repository string) error
	// LastCheck is when GitHub last answered; the zero time if it never did.
	LastCheck(ctx context.Context, repository string) (time.Time, error)
	// RepositoryID is GitHub's id of the repository that answered to the name; 0 if it is not known.
	RepositoryID(ctx context.Context, repository string) (int64, error)
	// Listed reports whether the copy has releases, of whichever repository, and GitHub answered
	// within that time.
	Listed(ctx context.Context, within time.Duration) (bool, error)
	// Pages returns GitHub's last answers.
	Pages(ctx context.Context) ([]Page, error)
	// Apply ends a run and makes the copy equal the listing, in one
	// transaction with the pages that the listing came from. New releases of a repository that has taken
	// the name of another start unavailable, until staff have enabled one. It returns the available releases
	// that somebody has to decide on.
	Apply(ctx context.Context, run Run, listing Listing, initiallyAvailable bool) (Undecided, error)
	// Finish ends a run whose listing told nothing new.
	Finish(ctx context.Context, run Run) error
	// Fail ends a run without an answer; nobody asks for as long as rest.
	Fail(ctx context.Context, repository string, rest time.Duration) error
}

// Page is one answer as GitHub gave it, kept for conditional requests.
type Page struct {
	URL, ETag, Link string
	Body            []byte
}

// Listing is everything that one round of requests found.
type Listing struct {
	// Name is the repository's "owner/name" of today, and ID what stays of it; zero where they were not asked for.
	Name string
	ID   int64
	// TokenEnds is when GitHub takes the token no more; the zero time if it did not say.
	TokenEnds time.Time
	// Releases have unique versions, newest publication first.
	Releases []release.Release
	// Complete is false when there were more pages than the copy keeps.
	Complete bool
	// Until is when the last release on those pages was created, whether it is among Releases or
	// not: what was created later and is not listed, is gone. It is the zero time where GitHub's
	// order does not tell.
	Until time.Time
	// Unchanged means that every page was answered 304.
	Unchanged bool
	// Pages are the answers to remember.
	Pages []Page
	// Skipped says what was left out, a line each.
	Skipped []string
}

// Undecided are releases about which somebody has to decide again.
type Undecided struct {
	// Replaced have builds that were uploaded again with other bytes, or under a name that Macs get
	// instead: they were made unavailable.
	Replaced []release.Version
	// Promoted are no prereleases any more, and stay on the channel that they had.
	Promoted []release.Version
}

// Run has ended now, with an answer, and says when the next may follow.
type Run struct {
	Repository string
	// RepositoryID is GitHub's, 0 if it did not say.
	RepositoryID int64
	// Due is how long from now the next look of our own accord is, Held the earliest at all.
	Due, Held time.Duration
}

// RateLimitedError is GitHub's demand to wait.
type RateLimitedError struct{ Wait time.Duration }

// Error describes the demand for logs.
func (e *RateLimitedError) Error() string {
	return fmt.Sprintf("github: rate limited for %s", e.Wait)
}
