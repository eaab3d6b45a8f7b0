package api

import (
	"net/http"

	"github.com/gin-gonic/gin"
)

// The names under which services report on the parts they depend on.
const (
	partDatabase = "database"
	partEvents   = "nats"
)

type health struct {
	Status   string            `json:"status"`
	Services map[string]string `json:"services"`
}

// getHealth tells people what is up. The product works without events for a
// while, so that alone is no outage.
func (a *API) getHealth(c *gin.Context) error {
	ctx := c.Request.Context()
	kratosUp := make(chan bool, 1)
	go func() { kratosUp <- a.kratos.Ready(ctx) == nil }()
	status := a.services.Health(ctx)

	up := status.Services
	up["kratos"] = <-kratosUp
	up["postgres"] = status.Parts[partDatabase]
	up["nats"] = status.Parts[partEvents]
	answer, code := summarize(up)
	if code == http.StatusServiceUnavailable {
		c.Header("Retry-After", "5")
	}
	c.JSON(code, answer)
	return nil
}

func summarize(up map[string]bool) (health, int) {
	answer, code := health{Status: "ok", Services: map[string]string{}}, http.StatusOK
	for name, ok := range up {
		answer.Services[name] = "ok"
		if ok {
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
