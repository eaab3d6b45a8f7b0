package api

import (
	"context"
	"errors"
	"time"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/releases/internal/github"
	"fledge.dev/services/releases/internal/mirror"
	"fledge.dev/services/releases/internal/release"
)

var (
	errNoDownload = fault.New(fault.NotFound, "unknown_download", "There is no such download.")
	errNotNow     = fault.New(fault.Unavailable, "download_unavailable", "This download is not available right now. Please try again.")
	errTooMany    = fault.New(fault.RateLimited, "too_many_old_downloads", "Too many files of older releases are asked for right now. Please try again in a minute.").RetryAfter(time.Minute)
)

// GetLatestDownloads returns what the download buttons offer.
func (s *Server) GetLatestDownloads(ctx context.Context, _ *releasesv1.GetLatestDownloadsRequest) (*releasesv1.GetLatestDownloadsResponse, error) {
	releases, err := s.parts.Catalog.Releases(ctx)
	if err != nil {
		return nil, err
	}
	offers, _ := release.Latest(releases, release.Stable)
	return &releasesv1.GetLatestDownloadsResponse{Downloads: encodeOffers(offers)}, nil
}

// ResolveDownload returns where the bytes are and counts the download, unless the
// caller only looks.
func (s *Server) ResolveDownload(ctx context.Context, req *releasesv1.ResolveDownloadRequest) (*releasesv1.ResolveDownloadResponse, error) {
	releases, err := s.parts.Catalog.Releases(ctx)
	if err != nil {
		return nil, err
	}
	version := release.Version(req.GetVersion())
	asset, ok := find(releases, version, req.GetFilename())
	if !ok {
		return nil, errNoDownload
	}
	url, err := s.send(ctx, version, asset, s.isCurrent(releases, release.File{Version: version, Name: asset.Name}), req.GetLookOnly())
	if err != nil {
		return nil, err
	}
	return &releasesv1.ResolveDownloadResponse{Url: url, Filename: asset.Name, Size: asset.Size}, nil
}

// ResolveLatestDownload does the same for the newest disk image on offer.
func (s *Server) ResolveLatestDownload(ctx context.Context, req *releasesv1.ResolveLatestDownloadRequest) (*releasesv1.ResolveLatestDownloadResponse, error) {
	releases, err := s.parts.Catalog.Releases(ctx)
	if err != nil {
		return nil, err
	}
	offers, _ := release.Latest(releases, release.Stable)
	for _, o := range offers {
		if string(o.Arch) != enum.Name(req.GetArch()) {
			continue
		}
		url, err := s.send(ctx, o.Version, o.Asset, true, req.GetLookOnly())
		if err != nil {
			return nil, err
		}
		return &releasesv1.ResolveLatestDownloadResponse{Url: url, Filename: o.Asset.Name, Size: o.Asset.Size}, nil
	}
	return nil, errNoDownload
}

// send returns where an asset's bytes are, and counts who is sent there.
func (s *Server) send(ctx context.Context, v release.Version, asset release.Asset, current, lookOnly bool) (string, error) {
	url, err := s.locate(ctx, asset, current)
	if err == nil && !lookOnly {
		s.parts.Counter.Count(ctx, v, asset)
		s.downloads.WithLabelValues(string(asset.Arch())).Inc()
	}
	return url, err
}

// locate returns where an asset's bytes are. The host is judged here, as the hosts that are
// allowed may have become fewer since the asset was stored.
func (s *Server) locate(ctx context.Context, asset release.Asset, current bool) (string, error) {
	url, err := s.parts.Locate(ctx, asset, current)
	if errors.Is(err, github.ErrGone) {
		s.lookFor(ctx, asset)
	}
	switch {
	case errors.Is(err, github.ErrNowhere):
		return "", errNoDownload
	case err != nil && errors.Is(ctx.Err(), context.Canceled): // the caller left, which says nothing of GitHub
		return "", errNotNow.Wrap(err)
	case errors.Is(err, github.ErrSpent): // which is no failure: no alert may count it
		return "", errTooMany.Wrap(err)
	case err != nil:
		s.unlocated.WithLabelValues(unlocatedFor(err)).Inc()
		return "", errNotNow.Wrap(err)
	}
	return url, nil
}

// isCurrent reports what release.Current says. That is worked out once for each list that the catalog
// loads: somebody who walks through the old files of many releases would have it worked out each time.
func (s *Server) isCurrent(releases []release.Release, f release.File) bool {
	s.current.Lock()
	defer s.current.Unlock()
	if len(s.current.of) != len(releases) || &s.current.of[0] != &releases[0] {
		s.current.of, s.current.files = releases, release.Current(releases)
	}
	return s.current.files[f]
}

// lookFor has GitHub looked at soon, as the copy names a file that is gone.
func (s *Server) lookFor(ctx context.Context, gone release.Asset) {
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	if err := s.parts.Mirror.Notice(ctx); err != nil {
		s.parts.Log.WarnContext(ctx, "a file is missing at GitHub and the refresh could not be asked for", "file", gone.Name, "error", err)
	}
}

// The reasons for which GitHub gives no address.
const (
	rateLimited = "rate_limited"
	refused     = "refused"
	failed      = "failed"
)

func unlocatedFor(err error) string {
	if _, ok := errors.AsType[*mirror.RateLimitedError](err); ok {
		return rateLimited
	}
	if _, ok := errors.AsType[*github.RefusedError](err); ok {
		return refused
	}
	return failed
}

// find returns an asset that may be handed out.
func find(releases []release.Release, v release.Version, filename string) (release.Asset, bool) {
	for _, r := range releases {
		if r.Version == v && r.Available {
			return r.Asset(filename)
		}
	}
	return release.Asset{}, false
}
