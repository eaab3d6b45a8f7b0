package store

import (
	"cmp"
	"context"

	"github.com/jackc/pgx/v5"

	auditv1 "fledge.dev/proto/gen/go/fledge/events/audit/v1"
	"fledge.dev/services/platform/audit"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/store/db"
)

// The actions in the audit log.
const (
	AvailabilityChanged audit.Name = "release.availability_changed"
	RolloutChanged      audit.Name = "release.rollout_changed"
	ChannelChanged      audit.Name = "release.channel_changed"
	RequirementChanged  audit.Name = "release.requirement_changed"
	PreviewLinkCreated  audit.Name = "release.preview_link_created"
	PreviewLinkRevoked  audit.Name = "release.preview_link_revoked"
	UserChannelChanged  audit.Name = "account.channel_changed"
)

// staff is where it stands who decided what.
var staff = audit.For(auditv1.Publisher_PUBLISHER_RELEASES, audit.Terms{
	Actions: []audit.Name{AvailabilityChanged, RolloutChanged, ChannelChanged, RequirementChanged, PreviewLinkCreated, PreviewLinkRevoked, UserChannelChanged},
	Fields:  []string{"is_available", "percentage", "rises", "channel", "is_required", "preview_link", "ends_at"},
})

// SetAvailability makes the release available or not and returns it. changed is
// false when it was so already. It fails with
// NotFound when GitHub lists no release with this id, and with Conflict when
// the id belongs to another version than the caller thinks. Whoever enables a release trusts its repository, also
// where that has taken the name of another.
func (s *Store) SetAvailability(ctx context.Context, id int64, version release.Version, available bool) (r release.Release, changed bool, err error) {
	r, changed, err = s.change(ctx, id, version, func(tx pgx.Tx, was db.LockReleaseRow) (bool, error) {
		if was.IsAvailable == available {
			return false, nil
		}
		if err := s.q.FinishRises(ctx, tx, finished(&was.Version)); err != nil {
			return false, err
		}
		if err := s.q.SetAvailability(ctx, tx, db.SetAvailabilityParams{Version: was.Version, IsAvailable: available}); err != nil {
			return false, err
		}
		if err := s.q.ForgetBuilds(ctx, tx, was.Version); err != nil {
			return false, err
		}
		if err := s.q.RememberBuilds(ctx, tx, release.Builds); err != nil {
			return false, err
		}
		return true, record(ctx, tx, AvailabilityChanged, was.Version,
			audit.State{"is_available": was.IsAvailable}, audit.State{"is_available": available})
	})
	if err == nil && available {
		// Not within the change, which has locked a release: a run of the mirror locks its own row first.
		err = pg.Fault(s.q.TrustRepositories(ctx, s.pool), nil)
	}
	return r, changed, err
}

// SetRollout sets the part of the installed apps, 0 to 100, that the release is
// offered to, and ends its rise. It is otherwise like SetAvailability.
func (s *Store) SetRollout(ctx context.Context, id int64, version release.Version, percentage int) (r release.Release, changed bool, err error) {
	return s.rollOut(ctx, id, version, percentage, false)
}

// RaiseRollout has the rollout rise by itself from release.FirstStep on. It is otherwise
// like SetAvailability.
func (s *Store) RaiseRollout(ctx context.Context, id int64, version release.Version) (r release.Release, changed bool, err error) {
	return s.rollOut(ctx, id, version, release.FirstStep, true)
}

// finished are the rises that have ended, of one version or of all.
func finished(version *string) db.FinishRisesParams {
	return db.FinishRisesParams{RiseSeconds: release.RiseTime.Seconds(), Archives: release.Archives, Version: version}
}

func (s *Store) rollOut(ctx context.Context, id int64, version release.Version, percentage int, rises bool) (r release.Release, changed bool, err error) {
	return s.change(ctx, id, version, func(tx pgx.Tx, was db.LockReleaseRow) (bool, error) {
		before := release.RolloutAt(int(was.RolloutPercentage), was.RampStartedAt, was.IsAvailable, was.DatabaseTime)
		if before.Rises() == rises && (rises || before.Percentage == percentage) {
			return false, nil
		}
		if err := s.q.SetRollout(ctx, tx, db.SetRolloutParams{Version: was.Version, RolloutPercentage: int16(percentage), Rises: rises}); err != nil {
			return false, err
		}
		return true, record(ctx, tx, RolloutChanged, was.Version,
			audit.State{"percentage": before.Percentage, "rises": before.Rises()}, audit.State{"percentage": percentage, "rises": rises})
	})
}

// SetChannel chooses the channel of the release; "" leaves it to GitHub's mark and the version. The
// release is not required any more: that was for the apps of another channel. It is otherwise like
// SetAvailability.
func (s *Store) SetChannel(ctx context.Context, id int64, version release.Version, channel release.Channel) (r release.Release, changed bool, err error) {
	return s.change(ctx, id, version, func(tx pgx.Tx, was db.LockReleaseRow) (bool, error) {
		before := orEmpty(was.ChosenChannel)
		if before == string(channel) {
			return false, nil
		}
		chosen := (*string)(&channel)
		if channel == "" {
			chosen = nil
		}
		if err := s.q.SetChannel(ctx, tx, db.SetChannelParams{Version: was.Version, Channel: chosen}); err != nil {
			return false, err
		}
		return true, record(ctx, tx, ChannelChanged, was.Version,
			audit.State{"channel": cmp.Or(before, byGitHub)}, audit.State{"channel": cmp.Or(string(channel), byGitHub)})
	})
}

// byGitHub stands in the audit log for a channel that nobody chose.
const byGitHub = "github"

// SetRequired says whether apps that are older than the release have to update. It is otherwise
// like SetAvailability, and fails with Conflict for a release that not all apps are offered.
func (s *Store) SetRequired(ctx context.Context, id int64, version release.Version, required bool) (r release.Release, changed bool, err error) {
	return s.change(ctx, id, version, func(tx pgx.Tx, was db.LockReleaseRow) (bool, error) {
		if was.IsRequired == required {
			return false, nil
		}
		rows, err := s.q.ListReleases(ctx, tx, &was.Version)
		if err != nil {
			return false, err
		}
		if required && !fold(rows)[0].CanBeRequired() {
			return false, errNotForAll
		}
		if err := s.q.SetRequired(ctx, tx, db.SetRequiredParams{Version: was.Version, IsRequired: required}); err != nil {
			return false, err
		}
		return true, record(ctx, tx, RequirementChanged, was.Version,
			audit.State{"is_required": was.IsRequired}, audit.State{"is_required": required})
	})
}

// change lets f change a release that is locked, and returns what it is then.
func (s *Store) change(ctx context.Context, id int64, version release.Version, f func(tx pgx.Tx, was db.LockReleaseRow) (bool, error)) (r release.Release, changed bool, err error) {
	err = s.inTx(ctx, func(tx pgx.Tx) error {
		was, err := s.q.LockRelease(ctx, tx, id)
		if err != nil {
			return pg.Fault(err, errUnknownRelease)
		}
		if was.Version != string(version) {
			return errOtherVersion
		}
		if changed, err = f(tx, was); err != nil {
			return err
		}
		rows, err := s.q.ListReleases(ctx, tx, &was.Version)
		if err != nil {
			return err
		}
		r = fold(rows)[0] // the lock keeps the row from going away
		return nil
	})
	return r, changed, err
}

// record tells the audit log what the caller has changed.
func record(ctx context.Context, tx pgx.Tx, action audit.Name, version string, before, after audit.State) error {
	return staff.Record(ctx, tx, audit.Action{Name: action, Subject: version, Label: "v" + version, Before: before, After: after})
}
