package releases

import (
	"fmt"
	"net/http"
	"time"

	"fledge.dev/services/platform/enum"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/jsonbody"
	"fledge.dev/gateway/internal/route"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
)

const maxVersion = 64

type asset struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	Size int64  `json:"size"`
}

type release struct {
	ID            int64      `json:"id"`
	Name          string     `json:"name"`
	Version       string     `json:"version"`
	PublishedAt   *time.Time `json:"publishedAt"`
	DownloadCount int64      `json:"downloadCount"`
	SiteDownloads int64      `json:"siteDownloadCount"`
	IsAvailable   bool       `json:"isAvailable"`
	Rollout       int32      `json:"rolloutPercentage"`
	Assets        []asset    `json:"assets"`
}

type releaseList struct {
	Releases  []release  `json:"releases"`
	LastCheck *time.Time `json:"lastCheck"`
}

func (h *handlers) getReleases(c *gin.Context) error {
	resp, err := h.releases.ListReleases(c.Request.Context(), &releasesv1.ListReleasesRequest{})
	if err != nil {
		return err
	}
	list := releaseList{Releases: make([]release, 0, len(resp.GetReleases())), LastCheck: route.TimeOrNull(resp.GetLastCheck())}
	for _, r := range resp.GetReleases() {
		list.Releases = append(list.Releases, releaseOf(r))
	}
	c.JSON(http.StatusOK, list)
	return nil
}

func releaseOf(r *releasesv1.Release) release {
	answer := release{
		ID: r.GetId(), Name: r.GetName(), Version: r.GetVersion(), PublishedAt: route.TimeOrNull(r.GetPublishedAt()),
		DownloadCount: r.GetDownloadCount(), SiteDownloads: r.GetSiteDownloadCount(),
		IsAvailable: r.GetIsAvailable(), Rollout: r.GetRolloutPercentage(), Assets: make([]asset, 0, len(r.GetAssets())),
	}
	for _, item := range r.GetAssets() {
		answer.Assets = append(answer.Assets, asset{item.GetId(), item.GetName(), item.GetSize()})
	}
	return answer
}

type toggleReleaseRequest struct {
	ReleaseID   int64  `json:"releaseId"`
	Version     string `json:"version"`
	IsAvailable *bool  `json:"isAvailable"`
}

func (r toggleReleaseRequest) validate() error {
	switch {
	case r.ReleaseID < 1:
		return route.Invalid("releaseId", "is not the id of a release")
	case r.Version == "":
		return route.Invalid("version", "is missing")
	case r.IsAvailable == nil:
		return route.Invalid("isAvailable", "is missing")
	}
	return route.MaxLength("version", r.Version, maxVersion)
}

func (h *handlers) toggleRelease(c *gin.Context) error {
	req, err := jsonbody.Decode[toggleReleaseRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	if err := req.validate(); err != nil {
		return err
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
	c.JSON(http.StatusOK, route.Message{Message: "Release v" + resp.GetRelease().GetVersion() + " " + state})
	return nil
}

type setReleaseRolloutRequest struct {
	ReleaseID  int64  `json:"releaseId"`
	Version    string `json:"version"`
	Percentage *int32 `json:"percentage"`
}

func (r setReleaseRolloutRequest) validate() error {
	switch {
	case r.ReleaseID < 1:
		return route.Invalid("releaseId", "is not the id of a release")
	case r.Version == "":
		return route.Invalid("version", "is missing")
	case r.Percentage == nil || *r.Percentage < 0 || *r.Percentage > 100:
		return route.Invalid("percentage", "is not a number from 0 to 100")
	}
	return route.MaxLength("version", r.Version, maxVersion)
}

func (h *handlers) setReleaseRollout(c *gin.Context) error {
	req, err := jsonbody.Decode[setReleaseRolloutRequest](c.Writer, c.Request)
	if err != nil {
		return err
	}
	if err := req.validate(); err != nil {
		return err
	}
	defer h.offers.changed() // after a failure, too: it may have happened
	resp, err := h.releases.SetRollout(c.Request.Context(), &releasesv1.SetRolloutRequest{
		ReleaseId: req.ReleaseID, Version: req.Version, Percentage: *req.Percentage,
	})
	if err != nil {
		return err
	}
	r := resp.GetRelease()
	c.JSON(http.StatusOK, route.Message{Message: fmt.Sprintf("Release v%s is now offered to %d%% of installed apps", r.GetVersion(), r.GetRolloutPercentage())})
	return nil
}

type downloadInfo struct {
	URL      string `json:"url"`
	Filename string `json:"filename"`
	Version  string `json:"version"`
}

func (h *handlers) getLatestDownloads(c *gin.Context) error {
	answer, err := h.offers.downloads.Get(c.Request.Context())
	if err != nil {
		return err
	}
	answer.send(c)
	return nil
}

func downloadsOf(downloads []*releasesv1.Download) map[string]downloadInfo {
	answer := map[string]downloadInfo{}
	for _, d := range downloads {
		if name := enum.Name(d.GetArch()); name != "" {
			answer[name] = downloadInfo{URL: downloadPath(d.GetVersion(), d.GetFilename()), Filename: d.GetFilename(), Version: d.GetVersion()}
		}
	}
	return answer
}
