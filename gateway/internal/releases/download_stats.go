package releases

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
)

const (
	statsDays    = 30
	maxStatsDays = 365
)

type dayDownloads struct {
	Day   string `json:"day"`
	Total int64  `json:"total"`
}

type versionDownloads struct {
	Version string `json:"version"`
	Total   int64  `json:"total"`
	Arm64   int64  `json:"arm64"`
	X64     int64  `json:"x64"`
}

type downloadStats struct {
	Days     []dayDownloads     `json:"days"`
	Versions []versionDownloads `json:"versions"`
}

func (h *handlers) getDownloadStats(c *gin.Context) error {
	days, err := route.Int(c, "days", statsDays, maxStatsDays)
	if err != nil {
		return err
	}
	resp, err := h.releases.GetDownloadStats(c.Request.Context(), &releasesv1.GetDownloadStatsRequest{Days: days})
	if err != nil {
		return err
	}
	stats := downloadStats{Days: make([]dayDownloads, 0, len(resp.GetDays())), Versions: make([]versionDownloads, 0, len(resp.GetVersions()))}
	for _, d := range resp.GetDays() {
		stats.Days = append(stats.Days, dayDownloads{d.GetDay(), d.GetTotal()})
	}
	for _, v := range resp.GetVersions() {
		stats.Versions = append(stats.Versions, versionDownloads{v.GetVersion(), v.GetTotal(), v.GetArm64(), v.GetX64()})
	}
	c.JSON(http.StatusOK, stats)
	return nil
}
