// Package support serves the routes of support tickets.
package support

import (
	"net/http"

	"fledge.dev/gateway/internal/backend"
	"fledge.dev/gateway/internal/route"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/clock"
)

type handlers struct {
	support  supportv1.SupportServiceClient
	identity identityv1.IdentityServiceClient
	csv      route.CSV
	clock    clock.Clock
}

// Routes returns the routes.
func Routes(services *backend.Services, csv route.CSV, clk clock.Clock) []route.Route {
	h := &handlers{support: services.Support, identity: services.Identity, csv: csv, clock: clk}
	get, post := http.MethodGet, http.MethodPost
	names := route.But(map[string]string{"id": "ticketId", "response": "adminResponse"})
	return route.Named(names, []route.Route{
		{Method: post, Path: "/api/create-support-ticket", Access: route.User, Handle: route.JSON(h.createSupportTicket)},
		{Method: get, Path: "/api/get-my-support-tickets", Access: route.User, Query: []string{"cursor", "limit"}, Handle: h.getMySupportTickets},
		{Method: post, Path: "/api/reply-support-ticket", Access: route.User, Handle: route.JSON(h.replySupportTicket)},
		{Method: get, Path: "/api/get-support-tickets", Access: route.Staff, Query: []string{"page", "limit", "status", "category", "priority", "search", "queue", "tag", "sort"}, Handle: h.getSupportTickets},
		{Method: get, Path: "/api/get-support-ticket", Access: route.Staff, Query: []string{"id"}, Names: route.CamelCase, Handle: h.getSupportTicket},
		{Method: http.MethodPut, Path: "/api/update-support-ticket", Access: route.Staff, Handle: route.JSON(h.updateSupportTicket)},
		{Method: post, Path: "/api/bulk-update-support-tickets", Access: route.Staff, Handle: route.JSON(h.bulkUpdateSupportTickets)},
		{Method: get, Path: "/api/get-support-desk", Access: route.Staff, Handle: h.getSupportDesk},
		{Method: post, Path: "/api/edit-support-ticket", Access: route.Staff, Handle: route.JSON(h.editSupportTicket)},
		{Method: post, Path: "/api/add-support-note", Access: route.Staff, Handle: route.JSON(h.addSupportNote)},
		{Method: post, Path: "/api/set-support-notices", Access: route.Staff, Names: route.CamelCase, Handle: route.JSON(h.setSupportNotices)},
		{Method: post, Path: "/api/view-support-ticket", Access: route.Staff, Handle: route.JSON(h.viewSupportTicket)},
		{Method: post, Path: "/api/open-support-ticket-for", Access: route.Staff, Names: route.CamelCase, Handle: route.JSON(h.openSupportTicketFor)},
		{Method: post, Path: "/api/save-canned-answer", Access: route.Admin, Names: route.CamelCase, Handle: route.JSON(h.saveCannedAnswer)},
		{Method: post, Path: "/api/delete-canned-answer", Access: route.Admin, Names: route.CamelCase, Handle: route.JSON(h.deleteCannedAnswer)},
		{Method: get, Path: "/api/get-earlier-support-messages", Access: route.Staff, Query: []string{"id", "before"}, Names: route.CamelCase, Handle: h.getEarlierSupportMessages},
		{Method: get, Path: "/api/get-my-earlier-support-messages", Access: route.User, Query: []string{"id", "before"}, Names: route.CamelCase, Handle: h.getMyEarlierSupportMessages},
		{Method: get, Path: "/api/export-support-tickets", Access: route.FreshAdmin, Query: []string{"status", "category", "priority", "search", "queue", "tag"}, Budget: route.FileBudget, Handle: h.exportSupportTickets},
	})
}
