// Package waitlist serves the routes of the waitlist.
package waitlist

import (
	"net/http"
	"time"

	"fledge.dev/gateway/internal/backend"
	"fledge.dev/gateway/internal/route"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
)

// SignUpTimeout bounds a sign-up: a little longer than the waitlist takes for its slowest
// answer, and within the second that clients are promised.
const SignUpTimeout = 900 * time.Millisecond

type handlers struct {
	waitlist      waitlistv1.WaitlistServiceClient
	identity      identityv1.IdentityServiceClient
	site          *route.Site
	csv           route.CSV
	signUpTimeout time.Duration
}

// Routes returns the routes. A sign-up takes no longer than signUpTimeout.
func Routes(services *backend.Services, site *route.Site, csv route.CSV, signUpTimeout time.Duration) []route.Route {
	h := &handlers{waitlist: services.Waitlist, identity: services.Identity, site: site, csv: csv, signUpTimeout: signUpTimeout}
	names := route.But(map[string]string{"id": "waitlistUserId", "ids": "waitlistUserIds"})
	importQuery := append(columnParameters[:], "dates", "order", "offset")
	waves := route.But(map[string]string{"id": "waveId"})
	return route.Named(names, []route.Route{
		{Method: http.MethodPost, Path: joinPath, Access: route.Optional, Limit: route.SignUp, Objective: true, Handle: h.addWaitlistUser},
		{Method: http.MethodPost, Path: "/api/confirm-waitlist", Access: route.Anyone, Limit: route.Token, Handle: route.JSON(h.confirmWaitlist)},
		{Method: http.MethodGet, Path: leavePath, Access: route.Anyone, Query: []string{"token"}, Handle: h.openLeaveWaitlist},
		{Method: http.MethodPost, Path: leavePath, Access: route.Anyone, Query: []string{"token"}, Handle: h.leaveWaitlist},
		{Method: http.MethodGet, Path: "/api/get-waitlist-status", Access: route.User, Handle: h.getWaitlistStatus},
		{Method: http.MethodPost, Path: "/api/note-download", Access: route.User, Handle: h.noteDownload},
		{Method: http.MethodPost, Path: "/api/get-invitation", Access: route.User, Limit: route.Token, Handle: route.JSON(h.getInvitation)},
		{Method: http.MethodPost, Path: "/api/open-invitation", Access: route.Anyone, Limit: route.Token, Handle: route.JSON(h.openInvitation)},
		{Method: http.MethodPost, Path: "/api/claim-invitation", Access: route.User, Limit: route.Token, Handle: route.JSON(h.claimInvitation)},
		{Method: http.MethodGet, Path: "/api/get-waitlist-users", Access: route.Staff, Query: []string{"status", "search", "mail", "cursor", "limit"}, Handle: h.getWaitlistUsers},
		{Method: http.MethodGet, Path: "/api/get-unconfirmed-sign-ups", Access: route.Staff, Query: []string{"search", "cursor", "limit"}, Handle: h.getUnconfirmedSignUps},
		{Method: http.MethodPost, Path: "/api/approve-waitlist-user", Access: route.Admin, Handle: route.JSON(h.approveWaitlistUser)},
		{Method: http.MethodPost, Path: "/api/bulk-approve-waitlist-users", Access: route.Admin, Handle: route.JSON(h.bulkApproveWaitlistUsers)},
		{Method: http.MethodGet, Path: "/api/get-waves", Access: route.Admin, Names: waves, Handle: h.getWaves},
		{Method: http.MethodPost, Path: "/api/start-wave", Access: route.Admin, Names: waves, Handle: route.JSON(h.startWave)},
		{Method: http.MethodPost, Path: "/api/change-wave", Access: route.Admin, Names: waves, Budget: route.FileBudget, Handle: route.JSON(h.changeWave)},
		{Method: http.MethodGet, Path: "/api/export-waitlist-users", Access: route.FreshAdmin, Query: []string{"status", "search", "mail"}, Budget: route.FileBudget, Handle: h.exportWaitlistUsers},
		{Method: http.MethodPost, Path: "/api/preview-waitlist-import", Access: route.Admin, Query: importQuery, Budget: route.FileBudget, Arrival: route.FileBudget, Handle: h.previewWaitlistImport},
		{Method: http.MethodPost, Path: "/api/import-waitlist-users", Access: route.Admin, Query: importQuery, Budget: route.FileBudget, Arrival: route.FileBudget, Handle: h.importWaitlistUsers},
	})
}
