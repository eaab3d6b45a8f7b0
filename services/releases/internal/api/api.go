// Package api answers the gRPC calls of proto/fledge/releases/v1.
package api

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/types/known/timestamppb"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/export"
	"fledge.dev/services/releases/internal/catalog"
	"fledge.dev/services/releases/internal/downloads"
	"fledge.dev/services/releases/internal/mirror"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/usage"
)

// Server implements the ReleasesService.
type Server struct {
	releasesv1.UnimplementedReleasesServiceServer
	parts                                     Parts
	downloads, unlocated, updates, deliveries *prometheus.CounterVec
	// current are the files that are on offer, of the releases that the catalog gave last.
	current struct {
		sync.Mutex
		of    []release.Release
		files map[release.File]bool
	}
}

// Store is what the dashboard reads and changes. Its errors are faults.
type Store interface {
	// Releases returns every release that GitHub lists, newest version first.
	Releases(ctx context.Context) ([]release.Release, error)
	// LastCheck is when GitHub last answered; the zero time if it never did.
	LastCheck(ctx context.Context, repository string) (time.Time, error)
	// SetAvailability makes the release available or not and returns it; changed
	// is false when it was so already. It fails with NotFound when there is no
	// release with this id, and with Conflict when it has another version.
	SetAvailability(ctx context.Context, id int64, version release.Version, available bool) (r release.Release, changed bool, err error)
	// SetRollout sets the part of the installed apps, 0 to 100, that the release is
	// offered to, and ends its rise. It is otherwise like SetAvailability.
	SetRollout(ctx context.Context, id int64, version release.Version, percentage int) (r release.Release, changed bool, err error)
	// RaiseRollout has the rollout rise by itself from release.FirstStep on. It is
	// otherwise like SetAvailability.
	RaiseRollout(ctx context.Context, id int64, version release.Version) (r release.Release, changed bool, err error)
	// SetChannel chooses the channel, "" GitHub's. It is otherwise like SetAvailability.
	SetChannel(ctx context.Context, id int64, version release.Version, channel release.Channel) (r release.Release, changed bool, err error)
	// SetRequired says whether older apps have to update. It is otherwise like
	// SetAvailability, and fails with Conflict for a release that not all are offered.
	SetRequired(ctx context.Context, id int64, version release.Version, required bool) (r release.Release, changed bool, err error)
	// AddPreviewLink keeps a link to the release by the SHA-256 of its token, for 1 to
	// release.MaxPreviewDays, and returns it with the release. It fails with NotFound and
	// Conflict as SetAvailability does, and with Conflict for a release without a disk image
	// or with too many links.
	AddPreviewLink(ctx context.Context, id int64, version release.Version, tokenHash []byte, days int) (link release.PreviewLink, r release.Release, err error)
	// PreviewLinks returns the links to a version that have not ended, latest first.
	PreviewLinks(ctx context.Context, version release.Version) ([]release.PreviewLink, error)
	// RevokePreviewLink ends a link. It fails with NotFound for one that has ended.
	RevokePreviewLink(ctx context.Context, id int64) (release.Version, error)
	// PreviewedVersion returns the link with this SHA-256 of its token, and what it is for.
	// It fails with NotFound when there is none or it has ended.
	PreviewedVersion(ctx context.Context, tokenHash []byte) (link int64, version release.Version, err error)
	// UserChannel returns the channel that staff have given an account.
	UserChannel(ctx context.Context, userID uuid.UUID) (release.UserChannel, error)
	// SetUserChannel gives an account a channel, or none; changed is false when it had it already. Of an account that
	// is not in use or was erased, Stable and none end what it has, and any other is a Conflict.
	SetUserChannel(ctx context.Context, userID uuid.UUID, channel release.Channel, inUse bool, reason string) (c release.UserChannel, changed bool, err error)
	// ExportTables are what a person takes along.
	ExportTables() []export.Table
	downloads.Source
	usage.Store
}

// Accounts is what identity knows of accounts.
type Accounts interface {
	// IsActive tells whether the account is in use: known, not disabled, not to be deleted.
	IsActive(ctx context.Context, account uuid.UUID) (bool, error)
}

// Webhook tells what GitHub has signed from what it has not.
type Webhook interface {
	// Verify reports whether the event is about our releases. It fails with one of
	// the errors of the package github.
	Verify(payload []byte, signature, event string) (relevant bool, err error)
}

// Parts is what the server answers from.
type Parts struct {
	Store      Store
	Accounts   Accounts
	Catalog    *catalog.Catalog
	Mirror     *mirror.Mirror
	Counter    *downloads.Counter
	Webhook    Webhook
	Repository string
	// Locate returns where a browser gets the asset. It fails with github.ErrNowhere when nobody may be sent
	// there, with github.ErrGone when GitHub has another file instead, or none, and with github.ErrSpent for one
	// that is not current, see release.Current, while too many of them are asked for.
	Locate func(ctx context.Context, asset release.Asset, current bool) (string, error)
	// Changed is called after a change of what is offered.
	Changed func()
	// Interactive bounds a use of the database while a person waits.
	Interactive func(context.Context) (context.Context, context.CancelFunc)
	Clock       clock.Clock
	Log         *slog.Logger
}

// New returns a server whose metrics are registered with reg.
func New(parts Parts, reg prometheus.Registerer) (*Server, error) {
	counter := func(name, help, label string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
	}
	s := &Server{
		parts:      parts,
		downloads:  counter("releases_downloads_total", "Downloads that people were sent to, by architecture.", "arch"),
		unlocated:  counter("releases_downloads_unavailable_total", "Downloads for which GitHub gave no address, by reason: rate_limited, refused (the token), failed.", "reason"),
		updates:    counter("releases_update_checks_total", "Update checks of Squirrel's apps, by what they were offered: offered, none. The gateway answers electron-updater's from memory.", "outcome"),
		deliveries: counter("releases_webhook_deliveries_total", "Deliveries of GitHub's webhook, by outcome.", "outcome"),
	}
	for _, arch := range []release.Arch{release.Arm64, release.X64, release.Universal, release.Other} {
		s.downloads.WithLabelValues(string(arch))
	}
	for _, reason := range []string{rateLimited, refused, failed} {
		s.unlocated.WithLabelValues(reason)
	}
	return s, errors.Join(reg.Register(s.downloads), reg.Register(s.unlocated), reg.Register(s.updates), reg.Register(s.deliveries))
}

// ListReleases returns all releases. It asks GitHub for news first, and shows what is
// known when there is no answer in half of the time that a person waits: the other half
// is the database's.
func (s *Server) ListReleases(ctx context.Context, _ *releasesv1.ListReleasesRequest) (*releasesv1.ListReleasesResponse, error) {
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	if until, ok := ctx.Deadline(); ok {
		s.parts.Mirror.Refresh(ctx, time.Until(until)/2)
	}
	releases, err := s.parts.Store.Releases(ctx)
	if err != nil {
		return nil, err
	}
	checked, err := s.parts.Store.LastCheck(ctx, s.parts.Repository)
	if err != nil {
		return nil, err
	}
	resp := &releasesv1.ListReleasesResponse{}
	for _, r := range releases {
		resp.Releases = append(resp.Releases, encode(r))
	}
	if !checked.IsZero() {
		resp.LastCheck = timestamppb.New(checked)
	}
	return resp, nil
}
