package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"fledge.dev/gateway/internal/apitest"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/errtest"
)

// TestWhoMayUseEachRoute sends every route's sample as every kind of caller. A
// route without a row fails, a refused request has no effect, and nobody but
// staff reaches a method that services keep for staff, nor but the admin one that they keep for admins.
func TestWhoMayUseEachRoute(t *testing.T) {
	g := apitest.Ready(t)
	callers := g.Issuer.Callers()
	forStaff, reserved, fresh := requestsOf(t, staffMethods), requestsOf(t, adminMethods), requestsOf(t, freshMethods)
	for _, route := range g.Served() {
		want := apitest.Samples[route].Who
		if len(want) != len(callers) {
			t.Errorf("%s has rows for %d of %d kinds of callers", route, len(want), len(callers))
		}
		for caller, token := range callers {
			before := g.Effects()
			a := g.Send(route, as(token))
			if a.Status != want[caller] {
				t.Errorf("%s as %s: %d, want %d: %s", route, caller, a.Status, want[caller], a.Body)
			}
			challenge := "Bearer"
			if strings.Contains(string(a.Body), `"code":"invalid_token"`) { // not for want of a token or a cookie
				challenge = `Bearer error="invalid_token"`
			}
			if got := a.Header.Get("WWW-Authenticate"); a.Status == http.StatusUnauthorized && got != challenge {
				t.Errorf("%s as %s: WWW-Authenticate is %q, want %q", route, caller, got, challenge)
			}
			for _, effect := range effectsSince(g, before) {
				name := effect.ProtoReflect().Descriptor().FullName()
				mayReach := caller == authntest.Admin || caller == authntest.EarlierAdmin && !slices.Contains(fresh, name)
				isStaff := mayReach || caller == authntest.Moderator
				if a.Status >= http.StatusBadRequest || !mayReach && slices.Contains(reserved, name) || !isStaff && slices.Contains(forStaff, name) {
					t.Errorf("%s as %s: %d, and yet %s", route, caller, a.Status, name)
				}
			}
		}
	}
	for route := range apitest.Samples {
		if !slices.Contains(g.Served(), route) {
			t.Errorf("%s has a row and is not served", route)
		}
	}
}

// TestAModeratorHasNoAdminEffects tries what the table cannot: requests that are
// an admin's by their body, not by their route.
func TestAModeratorHasNoAdminEffects(t *testing.T) {
	g := apitest.Ready(t)
	callers := g.Issuer.Callers()
	reserved := requestsOf(t, adminMethods)
	for _, caller := range []authntest.Caller{
		authntest.UserU, authntest.Moderator, authntest.Disabled, authntest.SignedOut, authntest.AdminMac, authntest.OldAdmin, authntest.OneFactor,
	} {
		a := g.Post("/api/add-waitlist-user", `{"email":"a@b.co"}`, as(callers[caller]))
		if a.Status != http.StatusForbidden && a.Status != http.StatusUnauthorized {
			t.Errorf("%s adds to the waitlist: %d", caller, a.Status)
		}
	}
	g.Get("/api/is-admin", as(callers[authntest.Moderator])).Is(http.StatusOK, `{"isAdmin":false,"isModerator":true}`)
	for _, effect := range g.Effects() {
		if name := effect.ProtoReflect().Descriptor().FullName(); slices.Contains(reserved, name) {
			t.Errorf("somebody reached %s", name)
		}
	}
}

// as sends the token; "" sends none.
func as(token string) apitest.Option {
	if token == "" {
		return func(*http.Request) {}
	}
	return apitest.Bearer(token)
}

// effectsSince leaves out what had reached a service before.
func effectsSince(g *apitest.Gateway, before []proto.Message) []proto.Message {
	return slices.DeleteFunc(g.Effects(), func(m proto.Message) bool { return slices.Contains(before, m) })
}

// staffMethods are what services keep for admins and moderators.
var staffMethods = []string{
	identityv1.IdentityService_ListUsers_FullMethodName,
	waitlistv1.WaitlistService_ListUsers_FullMethodName,
	supportv1.SupportService_ListTickets_FullMethodName,
	supportv1.SupportService_GetTicket_FullMethodName,
	supportv1.SupportService_UpdateTicket_FullMethodName,
	supportv1.SupportService_BulkUpdateTickets_FullMethodName,
	supportv1.SupportService_GetDesk_FullMethodName,
	supportv1.SupportService_EditTicket_FullMethodName,
	supportv1.SupportService_AddNote_FullMethodName,
	supportv1.SupportService_ListMessages_FullMethodName,
	supportv1.SupportService_SetNotices_FullMethodName,
	supportv1.SupportService_ViewTicket_FullMethodName,
	supportv1.SupportService_OpenTicketFor_FullMethodName,
}

// adminMethods are what services keep for admins alone.
var adminMethods = []string{
	identityv1.IdentityService_SetUserRoles_FullMethodName,
	identityv1.IdentityService_ListAuditEntries_FullMethodName,
	waitlistv1.WaitlistService_AddUser_FullMethodName,
	waitlistv1.WaitlistService_ApproveUser_FullMethodName,
	waitlistv1.WaitlistService_RemoveUser_FullMethodName,
	waitlistv1.WaitlistService_BulkApproveUsers_FullMethodName,
	waitlistv1.WaitlistService_StartWave_FullMethodName,
	waitlistv1.WaitlistService_ListWaves_FullMethodName,
	waitlistv1.WaitlistService_ChangeWave_FullMethodName,
	waitlistv1.WaitlistService_ExportUsers_FullMethodName,
	waitlistv1.WaitlistService_ImportUsers_FullMethodName,
	waitlistv1.WaitlistService_GetStats_FullMethodName,
	releasesv1.ReleasesService_GetStats_FullMethodName,
	billingv1.BillingService_GetStats_FullMethodName,
	supportv1.SupportService_ExportTickets_FullMethodName,
	supportv1.SupportService_GetStats_FullMethodName,
	supportv1.SupportService_SaveCannedAnswer_FullMethodName,
	supportv1.SupportService_DeleteCannedAnswer_FullMethodName,
	releasesv1.ReleasesService_ListReleases_FullMethodName,
	releasesv1.ReleasesService_SetAvailability_FullMethodName,
	releasesv1.ReleasesService_SetRollout_FullMethodName,
	releasesv1.ReleasesService_GetDownloadStats_FullMethodName,
}

// freshMethods are those of them that need a fresh sign-in.
var freshMethods = []string{
	identityv1.IdentityService_SetUserRoles_FullMethodName,
	identityv1.IdentityService_SetUserState_FullMethodName,
	identityv1.IdentityService_DeleteUser_FullMethodName,
	billingv1.BillingService_AdjustCredits_FullMethodName,
	billingv1.BillingService_SetRenewal_FullMethodName,
	billingv1.BillingService_GetMonthEnd_FullMethodName,
	billingv1.BillingService_DecideCase_FullMethodName,
	waitlistv1.WaitlistService_ExportUsers_FullMethodName,
	supportv1.SupportService_ExportTickets_FullMethodName,
}

// requestsOf names the requests of methods.
func requestsOf(t *testing.T, methods []string) []protoreflect.FullName {
	t.Helper()
	var names []protoreflect.FullName
	for _, full := range methods {
		d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(strings.ReplaceAll(full[1:], "/", ".")))
		errtest.None(t, err)
		names = append(names, d.(protoreflect.MethodDescriptor).Input().FullName())
	}
	return names
}
