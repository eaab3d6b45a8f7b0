// Package store keeps releases, the runs of the sync and download counts in
// the service's own database. Its errors are faults.
package store

import (
	"context"
	"embed"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"fledge.dev/services/platform/bus"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/store/db"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrate brings the database at url up to date, the bus's tables included.
func Migrate(ctx context.Context, url string) error {
	return pg.Migrate(ctx, url, bus.Migrations(), pg.Migrations{Name: "releases", FS: migrations})
}

// Store is the database. Safe for concurrent use.
type Store struct {
	pool *pgxpool.Pool
	q    *db.Queries
}

// New returns a store on a migrated database.
func New(pool *pgxpool.Pool) *Store { return &Store{pool: pool, q: db.New()} }

var (
	errUnknownRelease = fault.New(fault.NotFound, "unknown_release", "There is no such release.")
	errNotForAll      = fault.New(fault.Conflict, "release_not_for_all", "Only a release that all installed apps are offered can be required: enable it, at 100%, with builds for both kinds of Mac.")
	errOtherVersion   = fault.New(fault.Conflict, "stale_release", "This release has changed on GitHub. Refresh the list and try again.")
)

// Releases returns every release that GitHub lists, newest version first.
func (s *Store) Releases(ctx context.Context) ([]release.Release, error) {
	rows, err := s.q.ListReleases(ctx, s.pool, nil)
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	releases := fold(rows)
	release.Sort(releases)
	return releases, nil
}

// inTx commits what f did, or nothing.
func (s *Store) inTx(ctx context.Context, f func(pgx.Tx) error) error {
	return pg.Fault(pgx.BeginFunc(ctx, s.pool, f), nil)
}

// fold gathers the rows of each release, which follow each other.
func fold(rows []db.ListReleasesRow) []release.Release {
	var releases []release.Release
	for _, row := range rows {
		last := len(releases) - 1
		if last < 0 || string(releases[last].Version) != row.Version {
			releases = append(releases, release.Release{
				GitHubID:      *row.GithubID,
				Version:       release.Version(row.Version),
				Name:          row.Name,
				Prerelease:    row.Prerelease,
				PublishedAt:   row.PublishedAt.UTC(),
				Available:     row.IsAvailable,
				Notes:         row.Notes,
				Rollout:       release.RolloutAt(int(row.RolloutPercentage), row.RampStartedAt, row.IsAvailable, row.DatabaseTime),
				Required:      row.IsRequired,
				ReplacedAt:    row.ReplacedAt,
				PromotedAt:    row.PromotedAt,
				Chosen:        release.Channel(orEmpty(row.ChosenChannel)),
				SiteDownloads: row.SiteDownloadCount,
			})
			last++
		}
		if row.AssetName == nil {
			continue
		}
		releases[last].Assets = append(releases[last].Assets, release.Asset{
			GitHubID:      *row.AssetID,
			Name:          *row.AssetName,
			Size:          *row.Size,
			URL:           *row.Url,
			Digest:        *row.Digest,
			DownloadCount: *row.DownloadCount,
			SHA512:        orEmpty(row.Sha512),
		})
	}
	return releases
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
