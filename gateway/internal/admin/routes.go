// Package admin serves the statistics of all services for the admins' dashboard.
package admin

import (
	"log/slog"
	"net/http"

	"fledge.dev/gateway/internal/backend"
	"fledge.dev/gateway/internal/route"
)

type handlers struct {
	services *backend.Services
	log      *slog.Logger
}

// Routes returns the routes.
func Routes(services *backend.Services, log *slog.Logger) []route.Route {
	h := &handlers{services: services, log: log}
	return []route.Route{{Method: http.MethodGet, Path: "/api/get-admin-stats", Access: route.Admin, Handle: h.getAdminStats}}
}
