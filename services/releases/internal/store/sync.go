package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/releases/internal/mirror"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/store/db"
)

var _ mirror.Store = (*Store)(nil)

// Claim takes the run in one statement, see mirror.Store.
func (s *Store) Claim(ctx context.Context, repository string, held time.Duration, asked bool) (failures int, ok bool, err error) {
	n, err := s.q.ClaimSync(ctx, s.pool, db.ClaimSyncParams{
		Repository: repository, HeldSeconds: held.Seconds(), Asked: asked,
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, false, nil
	}
	return int(n), err == nil, pg.Fault(err, nil)
}

// Want makes the next run due, see mirror.Store.
func (s *Store) Want(ctx context.Context, repository string) error {
	return pg.Fault(s.q.WantSync(ctx, s.pool, repository), nil)
}

// LastCheck is when GitHub last answered; the zero time if it never did.
func (s *Store) LastCheck(ctx context.Context, repository string) (time.Time, error) {
	at, err := s.q.LastCheck(ctx, s.pool, repository)
	if errors.Is(err, pgx.ErrNoRows) || (err == nil && at == nil) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, pg.Fault(err, nil)
	}
	return at.UTC(), nil
}

// RepositoryID is GitHub's id of the repository, 0 if it is not known.
func (s *Store) RepositoryID(ctx context.Context, repository string) (int64, error) {
	id, err := s.q.RepositoryID(ctx, s.pool, repository)
	return id, pg.Fault(err, nil)
}

// Listed reports whether the mirror has releases, and GitHub answered lately, see mirror.Store.
func (s *Store) Listed(ctx context.Context, within time.Duration) (bool, error) {
	listed, err := s.q.Listed(ctx, s.pool, within.Seconds())
	return listed, pg.Fault(err, nil)
}

// Pages returns GitHub's last answers.
func (s *Store) Pages(ctx context.Context) ([]mirror.Page, error) {
	rows, err := s.q.ListPages(ctx, s.pool)
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	pages := make([]mirror.Page, len(rows))
	for i, row := range rows {
		pages[i] = mirror.Page{URL: row.Url, ETag: row.Etag, Link: row.Link, Body: row.Body}
	}
	return pages, nil
}

// Finish ends a run whose listing told nothing new.
func (s *Store) Finish(ctx context.Context, run mirror.Run) error {
	return pg.Fault(s.q.FinishSync(ctx, s.pool, finish(run)), nil)
}

// Fail ends a run without an answer; nobody asks for as long as rest.
func (s *Store) Fail(ctx context.Context, repository string, rest time.Duration) error {
	return pg.Fault(s.q.FailSync(ctx, s.pool, db.FailSyncParams{Repository: repository, RestSeconds: rest.Seconds()}), nil)
}

// Apply makes the mirror equal the listing, see mirror.Store. Releases that GitHub no longer
// lists are hidden, not deleted; new ones start with the given availability, but disabled in another
// repository than before, until staff have enabled one of its releases;
// our decision about known ones stays, unless their builds were replaced; one that is no
// prerelease any more stays on its channel.
func (s *Store) Apply(ctx context.Context, run mirror.Run, listing mirror.Listing, initiallyAvailable bool) (undecided mirror.Undecided, err error) {
	rows := columns(listing)
	err = s.inTx(ctx, func(tx pgx.Tx) error {
		// First, as the row's lock keeps a late run of another replica out.
		if err := s.q.FinishSync(ctx, tx, finish(run)); err != nil {
			return err
		}
		// Next, as what changes may begin rises again.
		if err := s.q.FinishRises(ctx, tx, finished(nil)); err != nil {
			return err
		}
		if err := s.q.ReleaseIDs(ctx, tx, rows.ids); err != nil {
			return err
		}
		if err := s.q.DecideOffered(ctx, tx); err != nil {
			return err
		}
		other, err := s.q.IsOther(ctx, tx, run.Repository)
		if err != nil {
			return err
		}
		rows.releases.IsAvailable = initiallyAvailable && !other
		if err := s.q.PutReleases(ctx, tx, rows.releases); err != nil {
			return err
		}
		if err := s.q.DropAssets(ctx, tx, rows.kept); err != nil {
			return err
		}
		if err := s.q.PutAssets(ctx, tx, rows.assets); err != nil {
			return err
		}
		others, err := s.otherChoices(ctx, tx)
		if err != nil {
			return err
		}
		changed, err := s.q.Reconsider(ctx, tx, db.ReconsiderParams{Others: others, Builds: release.Builds})
		if err != nil {
			return err
		}
		undecided = mirror.Undecided{}
		for _, row := range changed {
			if row.Replaced {
				undecided.Replaced = append(undecided.Replaced, release.Version(row.Version))
			}
			if row.Promoted {
				undecided.Promoted = append(undecided.Promoted, release.Version(row.Version))
			}
		}
		if err := s.q.RememberBuilds(ctx, tx, release.Builds); err != nil {
			return err
		}
		return s.putPages(ctx, tx, listing.Pages)
	})
	return undecided, err
}

// otherChoices are the available releases of which a Mac would get a build that was not there when
// they were made available, instead of another.
func (s *Store) otherChoices(ctx context.Context, tx pgx.Tx) ([]string, error) {
	rows, err := s.q.BuildsSince(ctx, tx, release.Builds)
	if err != nil {
		return nil, err
	}
	decided, known, listed := map[string]release.Release{}, map[string]release.Release{}, map[string]release.Release{}
	for _, row := range rows {
		add := func(to map[string]release.Release, is bool) {
			if is {
				r := to[row.Version]
				r.Assets = append(r.Assets, release.Asset{Name: row.Name})
				to[row.Version] = r
			}
		}
		add(decided, row.Decided)
		add(known, row.Known)
		add(listed, row.Listed)
	}
	others := []string{}
	for version, now := range listed {
		if now.Supersedes(decided[version], known[version]) {
			others = append(others, version)
		}
	}
	return others, nil
}

func (s *Store) putPages(ctx context.Context, tx pgx.Tx, pages []mirror.Page) error {
	urls := make([]string, len(pages))
	for i, p := range pages {
		urls[i] = p.URL
	}
	if err := s.q.DropPages(ctx, tx, urls); err != nil {
		return err
	}
	for _, p := range pages {
		if err := s.q.PutPage(ctx, tx, db.PutPageParams{Url: p.URL, Etag: p.ETag, Link: p.Link, Body: p.Body}); err != nil {
			return err
		}
	}
	return nil
}

func finish(t mirror.Run) db.FinishSyncParams {
	return db.FinishSyncParams{Repository: t.Repository, RepositoryID: t.RepositoryID, DueSeconds: t.Due.Seconds(), HeldSeconds: t.Held.Seconds()}
}

// arrays are a listing's columns as the statements take them.
type arrays struct {
	ids      db.ReleaseIDsParams
	releases db.PutReleasesParams
	kept     db.DropAssetsParams
	assets   db.PutAssetsParams
}

func columns(listing mirror.Listing) arrays {
	var a arrays
	// Not nil: an empty listing must be an empty array, not NULL.
	a.ids.Versions = []string{}
	a.ids.Complete = listing.Complete
	if !listing.Until.IsZero() {
		a.ids.Until = &listing.Until
	}
	for _, r := range listing.Releases {
		a.ids.Versions = append(a.ids.Versions, string(r.Version))
		a.ids.GithubIds = append(a.ids.GithubIds, r.GitHubID)
		a.releases.Names = append(a.releases.Names, r.Name)
		a.releases.Notes = append(a.releases.Notes, r.Notes)
		a.releases.Prereleases = append(a.releases.Prereleases, r.Prerelease)
		a.releases.PublishedAt = append(a.releases.PublishedAt, r.PublishedAt)
		a.releases.CreatedAt = append(a.releases.CreatedAt, r.CreatedAt)
		for _, asset := range r.Assets {
			a.assets.AssetVersions = append(a.assets.AssetVersions, string(r.Version))
			a.assets.Names = append(a.assets.Names, asset.Name)
			a.assets.GithubIds = append(a.assets.GithubIds, asset.GitHubID)
			a.assets.Sizes = append(a.assets.Sizes, asset.Size)
			a.assets.Urls = append(a.assets.Urls, asset.URL)
			a.assets.Digests = append(a.assets.Digests, asset.Digest)
			a.assets.DownloadCounts = append(a.assets.DownloadCounts, asset.DownloadCount)
		}
	}
	a.releases.Versions, a.releases.GithubIds = a.ids.Versions, a.ids.GithubIds
	a.kept = db.DropAssetsParams{Versions: a.ids.Versions, AssetVersions: a.assets.AssetVersions, Names: a.assets.Names}
	return a
}
