package api_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

func TestDevices(t *testing.T) {
	g := ready(t)
	id, token := g.issuer.User("user@example.com")
	g.get("/api/auth/devices", bearer(token)).is(http.StatusOK, `{"data":[]}`)
	at := time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)
	g.identity.devices = []*identityv1.SignedInDevice{
		{Id: anyID, Kind: identityv1.DeviceKind_DEVICE_KIND_BROWSER, Device: &identityv1.Device{UserAgent: "UA/1", IpAddress: "203.0.113.9"},
			CreatedAt: timestamppb.New(at), LastActiveAt: timestamppb.New(at.Add(time.Hour)), Current: true},
		{Id: flowID, Kind: identityv1.DeviceKind_DEVICE_KIND_MAC, Device: &identityv1.Device{Name: "Zoë's Mac", UserAgent: "Fledge/1.2", IpAddress: "2001:db8::1"},
			CreatedAt: timestamppb.New(at), LastActiveAt: timestamppb.New(at)},
	}
	g.get("/api/auth/devices", bearer(token)).is(http.StatusOK, `{"data":[
		{"id":"`+anyID+`","kind":"browser","name":"","user_agent":"UA/1","ip_address":"203.0.113.9",
		 "created_at":"2026-01-02T03:04:00Z","last_active_at":"2026-01-02T04:04:00Z","current":true},
		{"id":"`+flowID+`","kind":"mac","name":"Zoë's Mac","user_agent":"Fledge/1.2","ip_address":"2001:db8::1",
		 "created_at":"2026-01-02T03:04:00Z","last_active_at":"2026-01-02T03:04:00Z","current":false}]}`)
	if _, caller := g.identity.last(); caller.UserID != id {
		t.Errorf("identity was asked as %v", caller)
	}
	g.get("/api/auth/devices?user_id="+anyID, bearer(token)).fails(http.StatusBadRequest, "unknown_parameter")
}

func TestRevokeDevice(t *testing.T) {
	g := ready(t)
	id, token := g.issuer.User("user@example.com")
	a := g.post("/api/auth/revoke-device", `{"device_id":"`+strings.ToUpper(anyID)+`"}`, bearer(token)).is(http.StatusNoContent)
	got, caller := g.identity.last()
	if got.(*identityv1.RevokeDeviceRequest).GetDeviceId() != anyID || caller.UserID != id || len(a.body) != 0 {
		t.Errorf("identity was asked %v as %v", got, caller)
	}
	// Another person's device is as unknown as one that never was.
	g.identity.fail(fault.New(fault.NotFound, "device_not_found", "This device is not signed in."))
	g.post("/api/auth/revoke-device", `{"device_id":"`+flowID+`"}`, bearer(token)).fails(http.StatusNotFound, "device_not_found")
}

func TestRevokeDeviceRefuses(t *testing.T) {
	g := ready(t)
	_, token := g.issuer.User("user@example.com")
	for body, code := range map[string]string{
		`{}`: "invalid_device_id", `{"device_id":null}`: "invalid_device_id", `{"device_id":""}`: "invalid_device_id",
		`{"device_id":"42"}`: "invalid_device_id", `{"device_id":"{` + anyID + `}"}`: "invalid_device_id",
		`{"device_id":"` + strings.ReplaceAll(anyID, "-", "") + `"}`: "invalid_device_id",
		`{"device_id":"` + strings.Repeat("0", 10_000) + `"}`:        "invalid_device_id",
		`{"device_id":["` + anyID + `"]}`:                            "invalid_type",
		`{"device_id":"` + anyID + `","user_id":"` + flowID + `"}`:   "unknown_field",
	} {
		g.post("/api/auth/revoke-device", body, bearer(token)).fails(http.StatusBadRequest, code)
	}
	if g.identity.count() != 0 {
		t.Error("a refused request reached identity")
	}
}
