package identity_test

import (
	"net/http"
	"strings"
	"testing"

	"fledge.dev/gateway/internal/apitest"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	"fledge.dev/services/platform/fault"
)

func TestApplesNotificationsArePassedOn(t *testing.T) {
	g := apitest.Start(t)
	const body = ` {"payload" : "a.b.c", "new":1}`
	g.Post(apitest.ApplePath, body, apitest.Header("Origin", "https://appleid.apple.com")).Is(http.StatusOK, `{"received":true}`)
	got, _ := g.Identity.Last()
	if r, _ := got.(*identityv1.ReceiveAppleNotificationRequest); string(r.GetBody()) != body {
		t.Errorf("identity got %v", got)
	}
	g.Post(apitest.ApplePath, body, apitest.Header("Content-Type", "text/plain")).Fails(http.StatusUnsupportedMediaType, "unsupported_media_type")
	g.Post(apitest.ApplePath, strings.Repeat("x", 1<<20+1)).Fails(http.StatusRequestEntityTooLarge, "body_too_large")
	for _, c := range []struct {
		fault  *fault.Error
		status int
	}{
		{fault.New(fault.Invalid, "invalid_notification", "No."), http.StatusBadRequest},
		{fault.New(fault.NotFound, "no_apple", "No."), http.StatusNotFound},
		{fault.New(fault.Unavailable, "apple_unavailable", "No."), http.StatusServiceUnavailable},
	} {
		g.Identity.Fail(c.fault)
		g.Post(apitest.ApplePath, body).Fails(c.status, c.fault.Reason)
	}
}
