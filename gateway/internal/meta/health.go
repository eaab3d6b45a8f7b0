package meta

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"fledge.dev/gateway/internal/backend"
	"fledge.dev/gateway/internal/kratos"
	"fledge.dev/gateway/internal/wire"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/ttlcache"
)

// The names under which services report the parts that they depend on.
const (
	partDatabase = "database"
	partEvents   = "nats"
)

// healthAge is how old an answer about health may be. Anybody may ask, and each check is a
// call to every service and to Kratos.
const healthAge = time.Second

// newHealth returns, by name, whether each service and each part is up.
func newHealth(services *backend.Services, ory *kratos.Client, clk clock.Clock) *ttlcache.Value[map[string]bool] {
	return ttlcache.New(clk, healthAge, func(ctx context.Context) (map[string]bool, error) {
		kratosUp := make(chan bool, 1)
		go func() { kratosUp <- ory.Ready(ctx) == nil }()
		status := services.Health(ctx)

		up := status.Services
		up["kratos"] = <-kratosUp
		up["postgres"] = status.Parts[partDatabase]
		up["nats"] = status.Parts[partEvents]
		return up, nil
	})
}

// getHealth tells people what is up. The product works without events for a while, so that
// NATS alone being down is no outage.
func (h *handlers) getHealth(c *gin.Context) error {
	up, err := h.health.Get(c.Request.Context())
	if err != nil {
		return err
	}
	answer, code := summarize(up)
	if code == http.StatusServiceUnavailable {
		c.Header("Retry-After", "5")
	}
	c.JSON(code, answer)
	return nil
}

func summarize(up map[string]bool) (wire.Health, int) {
	answer, code := wire.Health{Status: "ok", Services: map[string]wire.PartState{}}, http.StatusOK
	for name, isUp := range up {
		if answer.Services[name] = "ok"; isUp {
			continue
		}
		answer.Services[name] = "down"
		if name != "nats" {
			answer.Status, code = "unavailable", http.StatusServiceUnavailable
		} else if answer.Status == "ok" {
			answer.Status = "degraded"
		}
	}
	return answer, code
}
