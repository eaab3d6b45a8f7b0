package identity_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/apitest"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

func TestDevices(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	g.Get("/api/auth/devices", apitest.Bearer(token)).Is(http.StatusOK, `{"data":[]}`)
	at := time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)
	g.Identity.Devices = []*identityv1.SignedInDevice{
		{Id: apitest.AnyID, Kind: identityv1.DeviceKind_DEVICE_KIND_BROWSER, Device: &identityv1.Device{UserAgent: "UA/1", IpAddress: "203.0.113.9"},
			CreatedAt: timestamppb.New(at), LastActiveAt: timestamppb.New(at.Add(time.Hour)), Current: true},
		{Id: apitest.FlowID, Kind: identityv1.DeviceKind_DEVICE_KIND_MAC, Device: &identityv1.Device{Name: "Zoë's Mac", UserAgent: "Fledge/1.2", IpAddress: "2001:db8::1"},
			CreatedAt: timestamppb.New(at), LastActiveAt: timestamppb.New(at)},
	}
	g.Get("/api/auth/devices", apitest.Bearer(token)).Is(http.StatusOK, `{"data":[
		{"id":"`+apitest.AnyID+`","kind":"browser","name":"","user_agent":"UA/1","ip_address":"203.0.113.9",
		 "created_at":"2026-01-02T03:04:00Z","last_active_at":"2026-01-02T04:04:00Z","current":true},
		{"id":"`+apitest.FlowID+`","kind":"mac","name":"Zoë's Mac","user_agent":"Fledge/1.2","ip_address":"2001:db8::1",
		 "created_at":"2026-01-02T03:04:00Z","last_active_at":"2026-01-02T03:04:00Z","current":false}]}`)
	if _, caller := g.Identity.Last(); caller.UserID != id {
		t.Errorf("identity was asked as %v", caller)
	}
	g.Get("/api/auth/devices?user_id="+apitest.AnyID, apitest.Bearer(token)).Fails(http.StatusBadRequest, "unknown_parameter")
}

func TestRevokeDevice(t *testing.T) {
	g := apitest.Ready(t)
	id, token := g.Issuer.User("user@example.com")
	a := g.Post("/api/auth/revoke-device", `{"device_id":"`+apitest.AnyID+`"}`, apitest.Bearer(token)).Is(http.StatusNoContent)
	got, caller := g.Identity.Last()
	if got.(*identityv1.RevokeDeviceRequest).GetDeviceId() != apitest.AnyID || caller.UserID != id || len(a.Body) != 0 {
		t.Errorf("identity was asked %v as %v", got, caller)
	}
	// What the service says of a field has the name that the body has.
	g.Identity.Fail(fault.InvalidField("device_id", "The device id must be a UUID."))
	if a := g.Post("/api/auth/revoke-device", `{"device_id":"42"}`, apitest.Bearer(token)).Fails(http.StatusBadRequest, "invalid_device_id"); !strings.Contains(string(a.Body), `"fields":{"device_id":`) {
		t.Errorf("%s", a.Body)
	}
	// Another person's device is as unknown as one that never was.
	g.Identity.Fail(fault.New(fault.NotFound, "device_not_found", "This device is not signed in."))
	g.Post("/api/auth/revoke-device", `{"device_id":"`+apitest.FlowID+`"}`, apitest.Bearer(token)).Fails(http.StatusNotFound, "device_not_found")
}

func TestRevokeDeviceRefuses(t *testing.T) {
	g := apitest.Ready(t)
	_, token := g.Issuer.User("user@example.com")
	for body, code := range map[string]string{
		`{"device_id":["` + apitest.AnyID + `"]}`:                                  "invalid_type",
		`{"device_id":"` + apitest.AnyID + `","user_id":"` + apitest.FlowID + `"}`: "unknown_field",
	} {
		g.Post("/api/auth/revoke-device", body, apitest.Bearer(token)).Fails(http.StatusBadRequest, code)
	}
	if g.Identity.Count() != 0 {
		t.Error("a refused request reached identity")
	}
}
