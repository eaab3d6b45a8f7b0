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

func encodeOffers(offers []release.Offer) []*releasesv1.Download {
	var out []*releasesv1.Download
	for _, o := range offers {
		out = append(out, &releasesv1.Download{Arch: enum.Of[releasesv1.Arch](o.Arch), Filename: o.Asset.Name, Version: string(o.Version)})
	}
	return out
}

func encodeUserChannel(c release.UserChannel) *releasesv1.UserChannel {
	out := &releasesv1.UserChannel{Channel: enum.Of[releasesv1.Channel](c.Channel)}
	if c.SetAt != nil {
		out.SetAt = timestamppb.New(*c.SetAt)
	}
	return out
}
