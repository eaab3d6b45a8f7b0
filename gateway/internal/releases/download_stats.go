package releases

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
)

const statsDays = 30

func (h *handlers) getDownloadStats(c *gin.Context) error {
	days, err := route.Int(c, "days", statsDays)
	if err != nil {
		return err
	}
	resp, err := h.releases.GetDownloadStats(c.Request.Context(), &releasesv1.GetDownloadStatsRequest{Days: days})
	if err != nil {
		return err
	}
	stats := wire.DownloadStats{
		Days: make([]wire.DownloadStats_Days, 0, len(resp.GetDays())), Versions: make([]wire.DownloadStats_Versions, 0, len(resp.GetVersions())),
	}
	for _, d := range resp.GetDays() {
		stats.Days = append(stats.Days, wire.DownloadStats_Days{Day: d.GetDay(), Total: d.GetTotal()})
	}
	for _, v := range resp.GetVersions() {
		stats.Versions = append(stats.Versions, wire.DownloadStats_Versions{Version: v.GetVersion(), Total: v.GetTotal(), Arm64: v.GetArm64(), X64: v.GetX64()})
	}
	c.JSON(http.StatusOK, stats)
	return nil
}
