package apitest

import (
	"context"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
)

// PreviewToken is that of a preview link.
const PreviewToken = "GQZWKV7JX3MBDPRT5ONHC2SEAI" // not-a-secret

type releasesFake struct {
	releasesv1.UnimplementedReleasesServiceServer
	Calls
	List      *releasesv1.ListReleasesResponse
	Downloads []*releasesv1.Download
	URL       string
	Update    *releasesv1.Update           // of a single app
	Updates   []*releasesv1.ReachingUpdate // of all
	Notes     []*releasesv1.ReleaseNotes
	Stats     *releasesv1.GetDownloadStatsResponse
	Usage     *releasesv1.GetUsageResponse
	Links     []*releasesv1.PreviewLink
	Export    exported
	Leave     func()
	// Counted is called with the update checks that are to be counted, and may fail.
	Counted func([]*releasesv1.UpdateChecks) error
}

func (f *releasesFake) ListReleases(ctx context.Context, r *releasesv1.ListReleasesRequest) (*releasesv1.ListReleasesResponse, error) {
	return f.List, f.record(ctx, r)
}

func (f *releasesFake) SetAvailability(ctx context.Context, r *releasesv1.SetAvailabilityRequest) (*releasesv1.SetAvailabilityResponse, error) {
	release := &releasesv1.Release{Id: r.GetReleaseId(), Version: r.GetVersion(), IsAvailable: r.GetIsAvailable()}
	return &releasesv1.SetAvailabilityResponse{Release: release}, f.record(ctx, r)
}

func (f *releasesFake) GetLatestDownloads(ctx context.Context, r *releasesv1.GetLatestDownloadsRequest) (*releasesv1.GetLatestDownloadsResponse, error) {
	return &releasesv1.GetLatestDownloadsResponse{Downloads: f.Downloads}, f.record(ctx, r)
}

func (f *releasesFake) ResolveDownload(ctx context.Context, r *releasesv1.ResolveDownloadRequest) (*releasesv1.ResolveDownloadResponse, error) {
	return &releasesv1.ResolveDownloadResponse{Url: f.URL, Filename: r.GetFilename()}, f.record(ctx, r)
}

func (f *releasesFake) SetRollout(ctx context.Context, r *releasesv1.SetRolloutRequest) (*releasesv1.SetRolloutResponse, error) {
	release := &releasesv1.Release{Id: r.GetReleaseId(), Version: r.GetVersion(), RolloutPercentage: r.GetPercentage()}
	if r.GetRises() {
		release.RolloutPercentage = 1
	}
	return &releasesv1.SetRolloutResponse{Release: release}, f.record(ctx, r)
}

func (f *releasesFake) ResolveLatestDownload(ctx context.Context, r *releasesv1.ResolveLatestDownloadRequest) (*releasesv1.ResolveLatestDownloadResponse, error) {
	return &releasesv1.ResolveLatestDownloadResponse{Url: f.URL}, f.record(ctx, r)
}

func (f *releasesFake) GetUpdate(ctx context.Context, r *releasesv1.GetUpdateRequest) (*releasesv1.GetUpdateResponse, error) {
	return &releasesv1.GetUpdateResponse{Update: f.Update, Notes: f.Notes}, f.record(ctx, r)
}

func (f *releasesFake) ListUpdates(ctx context.Context, r *releasesv1.ListUpdatesRequest) (*releasesv1.ListUpdatesResponse, error) {
	return &releasesv1.ListUpdatesResponse{Updates: f.Updates, Notes: f.Notes}, f.record(ctx, r)
}

// CountUpdateChecks comes after the answer, so that it is no call among the others.
func (f *releasesFake) CountUpdateChecks(_ context.Context, r *releasesv1.CountUpdateChecksRequest) (*releasesv1.CountUpdateChecksResponse, error) {
	if f.Counted == nil {
		return &releasesv1.CountUpdateChecksResponse{}, nil
	}
	return &releasesv1.CountUpdateChecksResponse{}, f.Counted(r.GetChecks())
}

func (f *releasesFake) SetChannel(ctx context.Context, r *releasesv1.SetChannelRequest) (*releasesv1.SetChannelResponse, error) {
	release := &releasesv1.Release{Id: r.GetReleaseId(), Version: r.GetVersion(), Channel: r.GetChannel(), ChosenChannel: r.GetChannel()}
	return &releasesv1.SetChannelResponse{Release: release}, f.record(ctx, r)
}

func (f *releasesFake) GetOwnChannel(ctx context.Context, r *releasesv1.GetOwnChannelRequest) (*releasesv1.GetOwnChannelResponse, error) {
	return &releasesv1.GetOwnChannelResponse{Channel: releasesv1.Channel_CHANNEL_BETA, Downloads: f.Downloads, IsPrerelease: true}, f.record(ctx, r)
}

func (f *releasesFake) GetUserChannel(ctx context.Context, r *releasesv1.GetUserChannelRequest) (*releasesv1.GetUserChannelResponse, error) {
	return &releasesv1.GetUserChannelResponse{Channel: &releasesv1.UserChannel{Channel: releasesv1.Channel_CHANNEL_STABLE}}, f.record(ctx, r)
}

func (f *releasesFake) SetUserChannel(ctx context.Context, r *releasesv1.SetUserChannelRequest) (*releasesv1.SetUserChannelResponse, error) {
	given := &releasesv1.UserChannel{Channel: releasesv1.Channel_CHANNEL_STABLE}
	if r.GetChannel() != 0 {
		given = &releasesv1.UserChannel{Channel: r.GetChannel(), SetAt: timestamppb.New(time.Date(2027, 1, 15, 8, 0, 0, 0, time.UTC))}
	}
	return &releasesv1.SetUserChannelResponse{Channel: given}, f.record(ctx, r)
}

func (f *releasesFake) SetRequired(ctx context.Context, r *releasesv1.SetRequiredRequest) (*releasesv1.SetRequiredResponse, error) {
	release := &releasesv1.Release{Id: r.GetReleaseId(), Version: r.GetVersion(), IsRequired: r.GetIsRequired()}
	return &releasesv1.SetRequiredResponse{Release: release}, f.record(ctx, r)
}

func (f *releasesFake) CreatePreviewLink(ctx context.Context, r *releasesv1.CreatePreviewLinkRequest) (*releasesv1.CreatePreviewLinkResponse, error) {
	return &releasesv1.CreatePreviewLinkResponse{
		Link:  &releasesv1.PreviewLink{Id: 7, CreatedAt: timestamppb.New(time.Unix(1_800_000_000, 0)), EndsAt: timestamppb.New(time.Unix(1_800_604_800, 0))},
		Token: PreviewToken, Filenames: []string{"Fledge-arm64.dmg", "Fledge-x64.dmg"},
	}, f.record(ctx, r)
}

func (f *releasesFake) ListPreviewLinks(ctx context.Context, r *releasesv1.ListPreviewLinksRequest) (*releasesv1.ListPreviewLinksResponse, error) {
	return &releasesv1.ListPreviewLinksResponse{Links: f.Links}, f.record(ctx, r)
}

func (f *releasesFake) RevokePreviewLink(ctx context.Context, r *releasesv1.RevokePreviewLinkRequest) (*releasesv1.RevokePreviewLinkResponse, error) {
	return &releasesv1.RevokePreviewLinkResponse{}, f.record(ctx, r)
}

func (f *releasesFake) ResolvePreviewDownload(ctx context.Context, r *releasesv1.ResolvePreviewDownloadRequest) (*releasesv1.ResolvePreviewDownloadResponse, error) {
	return &releasesv1.ResolvePreviewDownloadResponse{Url: f.URL}, f.record(ctx, r)
}

func (f *releasesFake) GetUsage(ctx context.Context, r *releasesv1.GetUsageRequest) (*releasesv1.GetUsageResponse, error) {
	return f.Usage, f.record(ctx, r)
}

func (f *releasesFake) ExplainUpdate(ctx context.Context, r *releasesv1.ExplainUpdateRequest) (*releasesv1.ExplainUpdateResponse, error) {
	return &releasesv1.ExplainUpdateResponse{Version: f.Update.GetVersion(), Sentences: []string{"This app is offered v1.2.3."}}, f.record(ctx, r)
}

func (f *releasesFake) ReceiveGitHubEvent(ctx context.Context, r *releasesv1.ReceiveGitHubEventRequest) (*releasesv1.ReceiveGitHubEventResponse, error) {
	return &releasesv1.ReceiveGitHubEventResponse{}, f.record(ctx, r)
}

func (f *releasesFake) GetDownloadStats(ctx context.Context, r *releasesv1.GetDownloadStatsRequest) (*releasesv1.GetDownloadStatsResponse, error) {
	return f.Stats, f.record(ctx, r)
}

func (f *releasesFake) GetStats(ctx context.Context, r *releasesv1.GetStatsRequest) (*releasesv1.GetStatsResponse, error) {
	stats := &releasesv1.GetStatsResponse{Total: 9, Versions: []*releasesv1.VersionDownloads{{Version: "1.2.3", Total: 9, Arm64: 8, X64: 1}}}
	for _, d := range monthOfStats().GetDays() {
		stats.Days = append(stats.Days, &releasesv1.DayDownloads{Day: d.GetDay(), Total: d.GetSignUps()})
	}
	return stats, f.record(ctx, r)
}
