package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/store/db"
)

// maxPreviewLinks is how many links to a release may be in use.
const maxPreviewLinks = 20

var (
	errNoDiskImage  = fault.New(fault.Conflict, "no_disk_image", "This release has no disk image to download.")
	errTooManyLinks = fault.New(fault.Conflict, "too_many_preview_links", "This release has 20 preview links. Revoke one of them first.")
	errNoLink       = fault.New(fault.NotFound, "unknown_preview_link", "This link has ended.")
)

// AddPreviewLink keeps a link to the release by the SHA-256 of its token, for 1 to 30 days, and
// returns it with the release. It fails with NotFound and Conflict as SetAvailability does, and
// with Conflict for a release without a disk image or with 20 links.
func (s *Store) AddPreviewLink(ctx context.Context, id int64, version release.Version, tokenHash []byte, days int) (link release.PreviewLink, r release.Release, err error) {
	r, _, err = s.change(ctx, id, version, func(tx pgx.Tx, was db.LockReleaseRow) (bool, error) {
		rows, err := s.q.ListReleases(ctx, tx, &was.Version)
		if err != nil {
			return false, err
		}
		if len(fold(rows)[0].DiskImages()) == 0 {
			return false, errNoDiskImage
		}
		if err := s.q.DropEndedPreviewLinks(ctx, tx); err != nil {
			return false, err
		}
		links, err := s.q.PreviewLinks(ctx, tx, was.Version)
		if err != nil {
			return false, err
		}
		if len(links) >= maxPreviewLinks {
			return false, errTooManyLinks
		}
		added, err := s.q.AddPreviewLink(ctx, tx, db.AddPreviewLinkParams{Version: was.Version, TokenHash: tokenHash, Days: int32(days)})
		if err != nil {
			return false, err
		}
		link = release.PreviewLink(added)
		return true, record(ctx, tx, PreviewLinkCreated, was.Version, nil, linkState(link.ID, link.EndsAt))
	})
	return link, r, err
}

// PreviewLinks returns the links to a version that have not ended, latest first.
func (s *Store) PreviewLinks(ctx context.Context, version release.Version) ([]release.PreviewLink, error) {
	rows, err := s.q.PreviewLinks(ctx, s.pool, string(version))
	if err != nil {
		return nil, pg.Fault(err, nil)
	}
	links := make([]release.PreviewLink, len(rows))
	for i, row := range rows {
		links[i] = release.PreviewLink(row)
	}
	return links, nil
}

// RevokePreviewLink ends a link. It fails with NotFound for one that has ended.
func (s *Store) RevokePreviewLink(ctx context.Context, id int64) (version release.Version, err error) {
	err = s.inTx(ctx, func(tx pgx.Tx) error {
		link, err := s.q.DropPreviewLink(ctx, tx, id)
		if err != nil {
			return pg.Fault(err, errNoLink)
		}
		version = release.Version(link.Version)
		return record(ctx, tx, PreviewLinkRevoked, link.Version, linkState(id, link.EndsAt), nil)
	})
	return version, err
}

// PreviewedVersion returns the link with this SHA-256 of its token, and what it is for. It fails
// with NotFound when there is none or it has ended.
func (s *Store) PreviewedVersion(ctx context.Context, tokenHash []byte) (link int64, version release.Version, err error) {
	row, err := s.q.PreviewedVersion(ctx, s.pool, tokenHash)
	return row.ID, release.Version(row.Version), pg.Fault(err, errNoLink)
}

func linkState(id int64, endsAt time.Time) audit.State {
	return audit.State{"preview_link": id, "ends_at": endsAt.UTC().Format(time.RFC3339)}
}
