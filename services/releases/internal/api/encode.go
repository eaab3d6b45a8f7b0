package api

import (
	"google.golang.org/protobuf/types/known/timestamppb"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/enum"
	"fledge.dev/services/releases/internal/release"
)

func encode(r release.Release) *releasesv1.Release {
	out := &releasesv1.Release{
		Id:                r.GitHubID,
		Name:              r.Name,
		Version:           string(r.Version),
		PublishedAt:       timestamppb.New(r.PublishedAt),
		DownloadCount:     r.DownloadCount(),
		IsAvailable:       r.Available,
		RolloutPercentage: int32(r.Rollout.Percentage),
		SiteDownloadCount: r.SiteDownloads,
		IsRequired:        r.Required,
		Channel:           enum.Of[releasesv1.Channel](r.Channel()),
		ChosenChannel:     enum.Of[releasesv1.Channel](r.Chosen),
		UpdateProblem:     enum.Of[releasesv1.UpdateProblem](r.UpdateProblem()),
	}
	if r.Rollout.Rises() {
		out.NextPercentage, out.NextPercentageAt = int32(r.Rollout.Next), timestamppb.New(r.Rollout.NextAt)
	}
	if r.ReplacedAt != nil {
		out.ReplacedAt = timestamppb.New(*r.ReplacedAt)
	}
	if r.PromotedAt != nil {
		out.PromotedAt = timestamppb.New(*r.PromotedAt)
	}
	for _, a := range r.Assets {
		out.Assets = append(out.Assets, &releasesv1.Asset{Id: a.GitHubID, Name: a.Name, Size: a.Size})
	}
	return out
}
