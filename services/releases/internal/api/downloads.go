package api

import (
	"context"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/releases/internal/release"
)

var errNoDownload = fault.New(fault.NotFound, "unknown_download", "There is no such download.")

// GetLatestDownloads returns what the download buttons offer.
func (s *Server) GetLatestDownloads(ctx context.Context, _ *releasesv1.GetLatestDownloadsRequest) (*releasesv1.GetLatestDownloadsResponse, error) {
	releases, err := s.parts.Catalog.Releases(ctx)
	if err != nil {
		return nil, err
	}
	resp := &releasesv1.GetLatestDownloadsResponse{}
	for _, o := range release.Latest(releases) {
		resp.Downloads = append(resp.Downloads, &releasesv1.Download{
			Arch: enum.Of[releasesv1.Arch](o.Arch), Filename: o.Asset.Name, Version: string(o.Version),
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
	s.count(ctx, release.Version(req.GetVersion()), asset, req.GetLookOnly())
	return &releasesv1.ResolveDownloadResponse{Url: asset.URL, Filename: asset.Name, Size: asset.Size}, nil
}

// ResolveLatestDownload does the same for the newest disk image on offer.
func (s *Server) ResolveLatestDownload(ctx context.Context, req *releasesv1.ResolveLatestDownloadRequest) (*releasesv1.ResolveLatestDownloadResponse, error) {
	releases, err := s.parts.Catalog.Releases(ctx)
	if err != nil {
		return nil, err
	}
	for _, o := range release.Latest(releases) {
		if string(o.Arch) == enum.Name(req.GetArch()) && s.parts.Allow(o.Asset.URL) {
			s.count(ctx, o.Version, o.Asset, req.GetLookOnly())
			return &releasesv1.ResolveLatestDownloadResponse{Url: o.Asset.URL, Filename: o.Asset.Name, Size: o.Asset.Size}, nil
		}
	}
	return nil, errNoDownload
}

func (s *Server) count(ctx context.Context, v release.Version, asset release.Asset, lookOnly bool) {
	if lookOnly {
		return
	}
	s.parts.Counter.Count(ctx, v, asset)
	s.downloads.WithLabelValues(string(asset.Arch())).Inc()
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
