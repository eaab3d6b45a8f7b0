package api

import (
	"context"
	"crypto/rand"
	"slices"

	"google.golang.org/protobuf/types/known/timestamppb"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/secrettoken"
	"fledge.dev/services/releases/internal/release"
)

// CreatePreviewLink makes a link to a release. Its token is in this answer alone.
func (s *Server) CreatePreviewLink(ctx context.Context, req *releasesv1.CreatePreviewLinkRequest) (*releasesv1.CreatePreviewLinkResponse, error) {
	version, err := decodeRelease(req.GetReleaseId(), req.GetVersion())
	if err != nil {
		return nil, err
	}
	if req.GetDays() < 1 || req.GetDays() > release.MaxPreviewDays {
		return nil, fault.InvalidField("days", "The days must be a whole number from 1 to 30.")
	}
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	token := rand.Text()
	link, r, err := s.parts.Store.AddPreviewLink(ctx, req.GetReleaseId(), version, secrettoken.Sum(token), int(req.GetDays()))
	if err != nil {
		return nil, err
	}
	admin, _ := authn.FromContext(ctx)
	s.parts.Log.InfoContext(ctx, "preview link created", "version", r.Version, "link", link.ID, "ends", link.EndsAt, "by", admin.UserID)
	resp := &releasesv1.CreatePreviewLinkResponse{Link: encodeLink(link), Token: token}
	for _, image := range r.DiskImages() {
		resp.Filenames = append(resp.Filenames, image.Name)
	}
	return resp, nil
}

// ListPreviewLinks returns the links to a release that have not ended.
func (s *Server) ListPreviewLinks(ctx context.Context, req *releasesv1.ListPreviewLinksRequest) (*releasesv1.ListPreviewLinksResponse, error) {
	version, ok := release.ParseTag(req.GetVersion())
	if !ok {
		return nil, fault.InvalidField("version", "The version must be a semantic version.")
	}
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	links, err := s.parts.Store.PreviewLinks(ctx, version)
	if err != nil {
		return nil, err
	}
	resp := &releasesv1.ListPreviewLinksResponse{}
	for _, link := range links {
		resp.Links = append(resp.Links, encodeLink(link))
	}
	return resp, nil
}

// RevokePreviewLink ends a link before its time.
func (s *Server) RevokePreviewLink(ctx context.Context, req *releasesv1.RevokePreviewLinkRequest) (*releasesv1.RevokePreviewLinkResponse, error) {
	if req.GetLinkId() <= 0 {
		return nil, fault.InvalidField("link_id", "The link id must be that of a link.")
	}
	ctx, cancel := s.parts.Interactive(ctx)
	defer cancel()
	version, err := s.parts.Store.RevokePreviewLink(ctx, req.GetLinkId())
	if err != nil {
		return nil, err
	}
	admin, _ := authn.FromContext(ctx)
	s.parts.Log.InfoContext(ctx, "preview link revoked", "version", version, "link", req.GetLinkId(), "by", admin.UserID)
	return &releasesv1.RevokePreviewLinkResponse{}, nil
}

// ResolvePreviewDownload returns where a disk image is that a link is for. It is no download of
// what is offered, so that nothing is counted; the log has which link it was.
func (s *Server) ResolvePreviewDownload(ctx context.Context, req *releasesv1.ResolvePreviewDownloadRequest) (*releasesv1.ResolvePreviewDownloadResponse, error) {
	waiting, cancel := s.parts.Interactive(ctx)
	defer cancel()
	link, version, err := s.parts.Store.PreviewedVersion(waiting, secrettoken.Sum(req.GetToken()))
	if err != nil {
		return nil, err
	}
	releases, err := s.parts.Catalog.Releases(ctx)
	if err != nil {
		return nil, err
	}
	image, ok := findImage(releases, version, req.GetFilename())
	if !ok {
		return nil, errNoDownload
	}
	url, err := s.locate(ctx, image, true)
	if err != nil {
		return nil, err
	}
	s.parts.Log.InfoContext(ctx, "preview link used", "version", version, "link", link, "file", image.Name)
	return &releasesv1.ResolvePreviewDownloadResponse{Url: url}, nil
}

// findImage returns a disk image, offered or not.
func findImage(releases []release.Release, v release.Version, filename string) (release.Asset, bool) {
	of := slices.IndexFunc(releases, func(r release.Release) bool { return r.Version == v })
	if of < 0 {
		return release.Asset{}, false
	}
	images := releases[of].DiskImages()
	i := slices.IndexFunc(images, func(a release.Asset) bool { return a.Name == filename })
	if i < 0 {
		return release.Asset{}, false
	}
	return images[i], true
}

func encodeLink(l release.PreviewLink) *releasesv1.PreviewLink {
	return &releasesv1.PreviewLink{Id: l.ID, CreatedAt: timestamppb.New(l.CreatedAt), EndsAt: timestamppb.New(l.EndsAt)}
}
