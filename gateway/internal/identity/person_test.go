package identity_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/apitest"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/fault"
)

func TestPerson(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	at := timestamppb.New(time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC))
	g.Identity.User = apitest.AListedUser()
	for state, want := range map[string]string{
		"active":   `"state":"active","disabled_at":null,"disabled_because":null,"erase_at":null,"email_off_since":null`,
		"disabled": `"state":"disabled","disabled_at":"2026-11-21T09:30:00Z","disabled_because":"staff","erase_at":null,"email_off_since":null`,
		"deleting": `"state":"deleting","disabled_at":null,"disabled_because":null,"erase_at":"2026-11-21T09:30:00Z","email_off_since":"2026-11-21T09:30:00Z"`,
	} {
		user := apitest.AListedUser()
		switch state {
		case "disabled":
			user.State, user.DisabledAt, user.DisabledBecause = identityv1.UserState_USER_STATE_DISABLED, at, identityv1.DisabledReason_DISABLED_REASON_STAFF
		case "deleting":
			user.State, user.EraseAt, user.EmailOffSince = identityv1.UserState_USER_STATE_DELETING, at, at
		}
		g.Identity.User = user
		answer := strings.Replace(listedUser, `"state":"active","disabled_at":null,"disabled_because":null,"erase_at":null,"email_off_since":null`, want, 1)
		g.Get("/api/get-person?person=Zoe%40example.com", apitest.Bearer(admin)).Is(http.StatusOK, answer)
		asked(t, g, &identityv1.GetPersonRequest{IdOrEmail: "Zoe@example.com"})
	}
	g.Identity.Fail(fault.New(fault.NotFound, "unknown_user", "This account does not exist."))
	g.Get("/api/get-person?person=x", apitest.Bearer(admin)).Fails(http.StatusNotFound, "unknown_user")
}

// TestPeopleAreFoundByTheAddressThatWasInvited, whose invitation their account uses.
func TestPeopleAreFoundByTheAddressThatWasInvited(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Identity.User, g.Identity.Known = apitest.AListedUser(), "zoe@example.com"
	g.Identity.Users = &identityv1.ListUsersResponse{Users: []*identityv1.ListedUser{apitest.AListedUser()}}
	g.Waitlist.Page = &waitlistv1.ListUsersResponse{Users: []*waitlistv1.WaitlistUser{
		{Email: "not-invited@example.com", ClaimedEmail: "other@example.com"}, {Email: "invited@example.com", ClaimedEmail: "zoe@example.com"}, {Email: "pending@example.com"},
	}}
	g.Get("/api/get-person?person=Invited%40example.com", apitest.Bearer(admin)).Is(http.StatusOK, listedUser)
	g.Get("/api/get-users-with-roles?search=+invited%40Example.com", apitest.Bearer(admin)).Is(http.StatusOK, `{"data":[`+listedUser+`],"nextCursor":null}`)
	asked(t, g, &identityv1.ListUsersRequest{Limit: 100, Search: "zoe@example.com"})
	for _, nobody := range []string{"pending%40example.com", "vited%40example.com", "invited"} {
		g.Get("/api/get-person?person="+nobody, apitest.Bearer(admin)).Fails(http.StatusNotFound, "unknown_user")
		g.Get("/api/get-users-with-roles?search="+nobody, apitest.Bearer(admin)).Is(http.StatusOK, `{"data":[],"nextCursor":null}`)
	}
	g.Waitlist.Fail(apitest.ErrAway)
	g.Get("/api/get-person?person=invited%40example.com", apitest.Bearer(admin)).Fails(http.StatusNotFound, "unknown_user")
}

// asked fails unless this is the last that identity was asked.
func asked(t *testing.T, g *apitest.Gateway, want proto.Message) {
	t.Helper()
	if got, _ := g.Identity.Last(); !proto.Equal(got.(proto.Message), want) {
		t.Errorf("identity was asked %v, want %v", got, want)
	}
}

func TestPersonDevices(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	at := timestamppb.New(time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC))
	device := &identityv1.Device{Name: "Ann's MacBook", UserAgent: "Fledge/1", IpAddress: "203.0.113.7"}
	g.Identity.Devices = []*identityv1.SignedInDevice{{Id: apitest.AnyID, Kind: identityv1.DeviceKind_DEVICE_KIND_MAC, Device: device, CreatedAt: at, LastActiveAt: at}}
	g.Identity.SignIns = []*identityv1.PastSignIn{{Id: apitest.AnyID, Kind: identityv1.DeviceKind_DEVICE_KIND_MAC, Device: device, At: at, EndedAt: at}}
	describes := `"id":"` + apitest.AnyID + `","kind":"mac","name":"Ann's MacBook","user_agent":"Fledge/1","ip_address":"203.0.113.7"`
	g.Get("/api/get-person-devices?userId="+apitest.AnyID, apitest.Bearer(admin)).Is(http.StatusOK,
		`{"devices":[{`+describes+`,"created_at":"2026-11-21T09:30:00Z","last_active_at":"2026-11-21T09:30:00Z","current":false}],
		"signIns":[{`+describes+`,"at":"2026-11-21T09:30:00Z","ended_at":"2026-11-21T09:30:00Z"}]}`)
	asked(t, g, &identityv1.ListUserDevicesRequest{UserId: apitest.AnyID})
	g.Get("/api/get-person-devices?userId=u", apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_user_id")
}

func TestActionsOnAPerson(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Identity.User = apitest.AListedUser()
	body := func(more string) string { return `{"userId":"` + apitest.AnyID + `","reason":"because"` + more + `}` }
	g.Post("/api/set-person-state", body(`,"state":"disabled"`), apitest.Bearer(admin)).Is(http.StatusOK, listedUser)
	asked(t, g, &identityv1.SetUserStateRequest{UserId: apitest.AnyID, State: identityv1.UserState_USER_STATE_DISABLED, Reason: "because"})
	g.Post("/api/sign-out-person", body(""), apitest.Bearer(admin)).Is(http.StatusOK, `{"ended":2}`)
	asked(t, g, &identityv1.SignOutUserRequest{UserId: apitest.AnyID, Reason: "because"})
	g.Post("/api/revoke-person-device", body(`,"deviceId":"`+apitest.AnyID+`"`), apitest.Bearer(admin)).Is(http.StatusNoContent)
	asked(t, g, &identityv1.RevokeUserDeviceRequest{UserId: apitest.AnyID, DeviceId: apitest.AnyID, Reason: "because"})
	g.Post("/api/delete-person", body(""), apitest.Bearer(admin)).Is(http.StatusOK, listedUser)
	asked(t, g, &identityv1.DeleteUserRequest{UserId: apitest.AnyID, Reason: "because"})
	g.Identity.Fail(fault.New(fault.Conflict, "last_admin", "There must be at least one admin."))
	g.Post("/api/delete-person", body(""), apitest.Bearer(admin)).Fails(http.StatusConflict, "last_admin")
}
