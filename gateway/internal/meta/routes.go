// Package meta serves the routes about the product itself: its health and the description of
// its interface.
package meta

import (
	"net/http"

	"fledge.dev/gateway/internal/backend"
	"fledge.dev/gateway/internal/docs"
	"fledge.dev/gateway/internal/kratos"
	"fledge.dev/gateway/internal/route"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/ttlcache"
)

type handlers struct {
	health     *ttlcache.Value[map[string]bool]
	docsPolicy string
}

// Routes returns the routes.
func Routes(services *backend.Services, ory *kratos.Client, clk clock.Clock) []route.Route {
	h := &handlers{health: newHealth(services, ory, clk), docsPolicy: docs.Policy()}
	return []route.Route{
		{Method: http.MethodGet, Path: "/api/health", Access: route.Anyone, Handle: h.getHealth},
		{Method: http.MethodGet, Path: "/api/openapi.json", Access: route.Anyone, Handle: h.getOpenAPI},
		{Method: http.MethodGet, Path: "/api/docs", Access: route.Anyone, Handle: h.getDocs},
	}
}
