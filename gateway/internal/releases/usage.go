package releases

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/route"
	"fledge.dev/gateway/internal/wire"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
)

func (h *handlers) getUsage(c *gin.Context) error {
	days, err := route.Int(c, "days", statsDays)
	if err != nil {
		return err
	}
	resp, err := h.releases.GetUsage(c.Request.Context(), &releasesv1.GetUsageRequest{Days: days})
	if err != nil {
		return err
	}
	usage := wire.VersionUsage{
		Days: make([]wire.UsageDay, 0, len(resp.GetDays())), Archs: sharesOf(resp.GetArchs()),
		Systems: sharesOf(resp.GetSystems()), Channels: sharesOf(resp.GetChannels()),
	}
	for _, d := range resp.GetDays() {
		usage.Days = append(usage.Days, wire.UsageDay{Day: d.GetDay(), Versions: sharesOf(d.GetVersions())})
	}
	c.JSON(http.StatusOK, usage)
	return nil
}

func sharesOf(shares []*releasesv1.Share) []wire.UsageShare {
	return route.Each(shares, func(s *releasesv1.Share) wire.UsageShare {
		return wire.UsageShare{Name: s.GetName(), Total: s.GetTotal()}
	})
}
