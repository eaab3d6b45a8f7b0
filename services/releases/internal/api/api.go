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
	"fledge.dev/services/releases/internal/catalog"
	"fledge.dev/services/releases/internal/downloads"
	"fledge.dev/services/releases/internal/github"
	"fledge.dev/services/releases/internal/mirror"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/store"
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

// Accounts is what identity knows of accounts.
type Accounts interface {
	// IsActive tells whether the account is in use: known, not disabled, not to be deleted.
	IsActive(ctx context.Context, account uuid.UUID) (bool, error)
}

// Parts is what the server answers from.
type Parts struct {
	Store      *store.Store
	Accounts   Accounts
	Catalog    *catalog.Catalog
	Mirror     *mirror.Mirror
	Counter    *downloads.Counter
	Webhook    github.Webhook
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
