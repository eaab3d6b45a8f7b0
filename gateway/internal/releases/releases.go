package releases

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/enum"
)

func (h *handlers) getReleases(c *gin.Context) error {
	resp, err := h.releases.ListReleases(c.Request.Context(), &releasesv1.ListReleasesRequest{})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.ReleaseList{Releases: route.Each(resp.GetReleases(), releaseOf), LastCheck: route.TimeOrNull(resp.GetLastCheck())})
	return nil
}

func releaseOf(r *releasesv1.Release) wire.Release {
	answer := wire.Release{
		ID: r.GetId(), Name: r.GetName(), Version: r.GetVersion(), Channel: channelOf(r), PublishedAt: route.TimeOrNull(r.GetPublishedAt()),
		DownloadCount: r.GetDownloadCount(), SiteDownloadCount: r.GetSiteDownloadCount(),
		IsAvailable: r.GetIsAvailable(), IsRequired: r.GetIsRequired(), ReplacedAt: route.TimeOrNull(r.GetReplacedAt()), PromotedAt: route.TimeOrNull(r.GetPromotedAt()), NextPercentageAt: route.TimeOrNull(r.GetNextPercentageAt()),
		UpdateProblem: route.OrNull(wire.ReleaseUpdateProblem(enum.Name(r.GetUpdateProblem()))), ChosenChannel: route.OrNull(wire.ReleaseChosenChannel(enum.Name(r.GetChosenChannel()))),
		NextPercentage: route.OrNull(int64(r.GetNextPercentage())), RolloutPercentage: int64(r.GetRolloutPercentage()), Assets: make([]wire.ReleaseAsset, 0, len(r.GetAssets())),
	}
	for _, item := range r.GetAssets() {
		answer.Assets = append(answer.Assets, wire.ReleaseAsset{ID: item.GetId(), Name: item.GetName(), Size: item.GetSize()})
	}
	return answer
}

// channelOf is stable while a service that knows no channels is still running.
func channelOf(r *releasesv1.Release) wire.ReleaseChannel {
	return wire.ReleaseChannel(cmp.Or(enum.Name(r.GetChannel()), enum.Name(releasesv1.Channel_CHANNEL_STABLE)))
}

func (h *handlers) toggleRelease(c *gin.Context, req wire.ToggleReleaseRequest) error {
	if req.IsAvailable == nil {
		return route.Invalid("isAvailable", "is missing")
	}
	defer h.offers.changed() // after a failure, too: it may have happened
	resp, err := h.releases.SetAvailability(c.Request.Context(), &releasesv1.SetAvailabilityRequest{
		ReleaseId: req.ReleaseID, Version: req.Version, IsAvailable: *req.IsAvailable,
	})
	if err != nil {
		return err
	}
	state := "is now available"
	if !resp.GetRelease().GetIsAvailable() {
		state = "is no longer available"
	}
	c.JSON(http.StatusOK, wire.Message{Message: "Release v" + resp.GetRelease().GetVersion() + " " + state})
	return nil
}

func (h *handlers) setReleaseRollout(c *gin.Context, req wire.SetReleaseRolloutRequest) error {
	rises := route.Value(req.Rises)
	percentage := route.Given(req.Percentage)
	if !rises {
		if req.Percentage == nil {
			return route.Invalid("percentage", "is missing")
		}
		percentage = *req.Percentage
	}
	defer h.offers.changed() // after a failure, too: it may have happened
	resp, err := h.releases.SetRollout(c.Request.Context(), &releasesv1.SetRolloutRequest{
		ReleaseId: req.ReleaseID, Version: req.Version, Percentage: percentage, Rises: rises,
	})
	if err != nil {
		return err
	}
	r := resp.GetRelease()
	message := fmt.Sprintf("Release v%s is now offered to %d%% of installed apps", r.GetVersion(), r.GetRolloutPercentage())
	if rises {
		message += ", and to more day by day"
	}
	c.JSON(http.StatusOK, wire.Message{Message: message})
	return nil
}

func (h *handlers) setReleaseChannel(c *gin.Context, req wire.SetReleaseChannelRequest) error {
	defer h.offers.changed() // after a failure, too: it may have happened
	resp, err := h.releases.SetChannel(c.Request.Context(), &releasesv1.SetChannelRequest{
		ReleaseId: req.ReleaseID, Version: req.Version, Channel: givenChannel(req.Channel, "github"),
	})
	if err != nil {
		return err
	}
	c.JSON(http.StatusOK, wire.Message{Message: "Release v" + resp.GetRelease().GetVersion() + " is now on the channel " + string(channelOf(resp.GetRelease()))})
	return nil
}

func (h *handlers) setReleaseRequired(c *gin.Context, req wire.SetReleaseRequiredRequest) error {
	if req.IsRequired == nil {
		return route.Invalid("isRequired", "is missing")
	}
	defer h.offers.changed() // after a failure, too: it may have happened
	resp, err := h.releases.SetRequired(c.Request.Context(), &releasesv1.SetRequiredRequest{
		ReleaseId: req.ReleaseID, Version: req.Version, IsRequired: *req.IsRequired,
	})
	if err != nil {
		return err
	}
	state := "is now required: older apps have to update"
	if !resp.GetRelease().GetIsRequired() {
		state = "is no longer required"
	}
	c.JSON(http.StatusOK, wire.Message{Message: "Release v" + resp.GetRelease().GetVersion() + " " + state})
	return nil
}

func (h *handlers) getLatestDownloads(c *gin.Context) error {
	answer, err := h.offers.downloads.Get(c.Request.Context())
	if err != nil {
		return err
	}
	answer.send(c)
	return nil
}

func downloadsOf(downloads []*releasesv1.Download) (answer wire.LatestDownloads) {
	for _, d := range downloads {
		info := &wire.DownloadInfo{URL: downloadPath(d.GetVersion(), d.GetFilename()), Filename: d.GetFilename(), Version: d.GetVersion()}
		switch d.GetArch() {
		case releasesv1.Arch_ARCH_ARM64:
			answer.Arm64 = info
		case releasesv1.Arch_ARCH_X64:
			answer.X64 = info
		}
	}
	return answer
}
