package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"fledge.dev/services/platform/pg"
	"fledge.dev/services/releases/internal/checksum"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/store/db"
)

var _ checksum.Store = (*Store)(nil)

// ClaimChecksums takes a release that lacks checksums, see checksum.Store.
func (s *Store) ClaimChecksums(ctx context.Context, retry time.Duration) (r release.Release, ok bool, err error) {
	version, err := s.q.ClaimChecksums(ctx, s.pool, db.ClaimChecksumsParams{RetrySeconds: retry.Seconds(), Archives: release.Archives})
	if errors.Is(err, pgx.ErrNoRows) {
		return release.Release{}, false, nil
	}
	if err != nil {
		return release.Release{}, false, pg.Fault(err, nil)
	}
	rows, err := s.q.ListReleases(ctx, s.pool, &version)
	if err != nil || len(rows) == 0 { // none: GitHub has just dropped it
		return release.Release{}, false, pg.Fault(err, nil)
	}
	return fold(rows)[0], true, nil
}

// PutChecksums keeps checksums by the ids of the assets that they belong to, and
// ends the claim when none is missing. A rollout rises from when apps are offered the release.
func (s *Store) PutChecksums(ctx context.Context, version release.Version, sums map[int64]string) error {
	p := db.PutChecksumsParams{Version: string(version)}
	for id, sum := range sums {
		p.GithubIds = append(p.GithubIds, id)
		p.Sha512s = append(p.Sha512s, sum)
	}
	problem := func(tx pgx.Tx) (release.UpdateProblem, error) {
		rows, err := s.q.ListReleases(ctx, tx, &p.Version)
		if err != nil || len(rows) == 0 { // none: GitHub has just dropped it
			return "", err
		}
		return fold(rows)[0].UpdateProblem(), nil
	}
	return s.inTx(ctx, func(tx pgx.Tx) error {
		before, err := problem(tx)
		if err != nil {
			return err
		}
		if err := s.q.PutChecksums(ctx, tx, p); err != nil {
			return err
		}
		if err := s.q.FinishChecksums(ctx, tx, db.FinishChecksumsParams{Version: p.Version, Archives: release.Archives}); err != nil {
			return err
		}
		after, err := problem(tx)
		if err != nil || before != release.NoChecksum || after != "" {
			return err
		}
		return s.q.RestartRise(ctx, tx, p.Version)
	})
}
