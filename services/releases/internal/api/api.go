// Package api answers the gRPC calls of proto/fledge/releases/v1.
package api

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"google.golang.org/protobuf/types/known/timestamppb"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/releases/internal/catalog"
	"fledge.dev/services/releases/internal/mirror"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/tally"
)

// refreshWait is how long a person's list waits for news from GitHub before it
// shows what is known.
const refreshWait = 700 * time.Millisecond

// Policy says who may call what: downloads and updates are for everybody, the
// dashboard is for admins, and the gateway passes GitHub's deliveries on.
var Policy = authn.Policy{
	releasesv1.ReleasesService_ListReleases_FullMethodName:          authn.Admin,
	releasesv1.ReleasesService_SetAvailability_FullMethodName:       authn.Admin,
	releasesv1.ReleasesService_SetRollout_FullMethodName:            authn.Admin,
	releasesv1.ReleasesService_GetDownloadStats_FullMethodName:      authn.Admin,
	releasesv1.ReleasesService_GetStats_FullMethodName:              authn.Admin,
	releasesv1.ReleasesService_GetLatestDownloads_FullMethodName:    authn.Public,
	releasesv1.ReleasesService_ResolveDownload_FullMethodName:       authn.Public,
	releasesv1.ReleasesService_ResolveLatestDownload_FullMethodName: authn.Public,
	releasesv1.ReleasesService_GetUpdate_FullMethodName:             authn.Public,
	releasesv1.ReleasesService_ReceiveGitHubEvent_FullMethodName:    authn.Internal,
}

// Server implements the ReleasesService.
type Server struct {
	releasesv1.UnimplementedReleasesServiceServer
	parts     Parts
	downloads *prometheus.CounterVec
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
}

// Parts is what the server answers from.
type Parts struct {
	Store      Store
	Catalog    *catalog.Catalog
	Mirror     *mirror.Mirror
	Tally      *tally.Tally
	Repository string
	// Allow reports whether people may be sent to a URL.
	Allow func(url string) bool
	// Interactive bounds a use of the database while a person waits.
	Interactive func(context.Context) (context.Context, context.CancelFunc)
	Log         *slog.Logger
}

// New returns a server whose metrics are registered with reg.
func New(parts Parts, reg prometheus.Registerer) (*Server, error) {
	downloads := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "releases_downloads_total",
		Help: "Downloads that people were sent to, by architecture.",
	}, []string{"arch"})
	return &Server{parts: parts, downloads: downloads}, reg.Register(downloads)
}

var (
	errBadRelease = fault.New(fault.Invalid, "invalid_release", "Name a release by its id and version.")
	errNoDownload = fault.New(fault.NotFound, "unknown_download", "There is no such download.")
)

// ListReleases returns all releases. It asks GitHub for news first, and shows
// what is known when there is no answer in time.
func (s *Server) ListReleases(ctx context.Context, _ *releasesv1.ListReleasesRequest) (*releasesv1.ListReleasesResponse, error) {
	s.parts.Mirror.Refresh(ctx, refreshWait)
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
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

// SetAvailability offers a release or takes it back.
func (s *Server) SetAvailability(ctx context.Context, req *releasesv1.SetAvailabilityRequest) (*releasesv1.SetAvailabilityResponse, error) {
	version, ok := release.ParseTag(req.GetVersion())
	if !ok || req.GetReleaseId() <= 0 {
		return nil, errBadRelease
	}
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	r, changed, err := s.parts.Store.SetAvailability(ctx, req.GetReleaseId(), version, req.GetIsAvailable())
	if err != nil {
		return nil, err
	}
	if changed {
		s.parts.Catalog.Invalidate()
		admin, _ := authn.FromContext(ctx)
		s.parts.Log.InfoContext(ctx, "availability changed", "version", r.Version, "available", r.Available, "by", admin.UserID)
	}
	return &releasesv1.SetAvailabilityResponse{Release: encode(r)}, nil
}

// GetLatestDownloads returns what the download buttons offer.
func (s *Server) GetLatestDownloads(ctx context.Context, _ *releasesv1.GetLatestDownloadsRequest) (*releasesv1.GetLatestDownloadsResponse, error) {
	releases, err := s.parts.Catalog.Releases(ctx)
	if err != nil {
		return nil, err
	}
	resp := &releasesv1.GetLatestDownloadsResponse{}
	for _, o := range release.Latest(releases) {
		resp.Downloads = append(resp.Downloads, &releasesv1.Download{
			Arch: archs[o.Arch], Filename: o.Asset.Name, Version: string(o.Version),
		})
	}
	return resp, nil
}

// ResolveDownload returns where the bytes are and counts the download, unless the
// caller only looks.
func (s *Server) ResolveDownload(ctx context.Context, req *releasesv1.ResolveDownloadRequest) (*releasesv1.ResolveDownloadResponse, error) {
	releases, err := s.parts.Catalog.Releases(ctx)
	if err != nil {
		return nil, err
	}
	asset, ok := s.find(releases, release.Version(req.GetVersion()), req.GetFilename())
	if !ok {
		return nil, errNoDownload
	}
	if !req.GetLookOnly() {
		s.parts.Tally.Count(ctx, release.Version(req.GetVersion()), asset)
		s.downloads.WithLabelValues(string(asset.Arch())).Inc()
	}
	return &releasesv1.ResolveDownloadResponse{Url: asset.URL, Filename: asset.Name, Size: asset.Size}, nil
}

// find returns an asset that may be handed out. The host is checked again here,
// because the allow-list may have become shorter since the asset was stored.
func (s *Server) find(releases []release.Release, v release.Version, filename string) (release.Asset, bool) {
	for _, r := range releases {
		if r.Version == v && r.Available {
			asset, ok := r.Asset(filename)
			return asset, ok && s.parts.Allow(asset.URL)
		}
	}
	return release.Asset{}, false
}
