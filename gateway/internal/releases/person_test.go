package releases_test

import (
	"net/http"
	"testing"

	"google.golang.org/protobuf/proto"

	"fledge.dev/gateway/internal/apitest"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/fault"
)

// TestAPersonAsksForTheirChannel, which is theirs by their token alone.
func TestAPersonAsksForTheirChannel(t *testing.T) {
	g := apitest.Start(t)
	id, ann := g.Issuer.User("ann@example.com")
	g.Releases.Downloads = []*releasesv1.Download{{Arch: releasesv1.Arch_ARCH_X64, Filename: "Fledge.dmg", Version: "1.3.0-beta.1"}}
	g.Get("/api/get-update-channel", apitest.Bearer(ann)).Is(http.StatusOK,
		`{"channel":"beta","isPrerelease":true,"downloads":{"x64":{"url":"/api/download/1.3.0-beta.1/Fledge.dmg","filename":"Fledge.dmg","version":"1.3.0-beta.1"}}}`)
	if _, caller := g.Releases.Last(); caller.UserID != id {
		t.Errorf("the service was asked by %q", caller.UserID)
	}
	for given, passed := range map[waitlistv1.Channel]releasesv1.Channel{0: 0, waitlistv1.Channel_CHANNEL_BETA: releasesv1.Channel_CHANNEL_BETA, waitlistv1.Channel_CHANNEL_ALPHA: releasesv1.Channel_CHANNEL_ALPHA} {
		g.Waitlist.Channel = given
		g.Get("/api/get-update-channel", apitest.Bearer(ann)).Is(http.StatusOK)
		if _, caller := g.Waitlist.Last(); caller.UserID != id {
			t.Errorf("the waitlist was asked by %q", caller.UserID)
		}
		if got, _ := g.Releases.Last(); got.(*releasesv1.GetOwnChannelRequest).GetGroupChannel() != passed {
			t.Errorf("approved with %s, the service was asked %v", given, got)
		}
	}
	// Without an answer of the waitlist's, an app must not go back to stable.
	g.Waitlist.Fail(fault.New(fault.Unavailable, "database_unavailable", "Not now."))
	g.Get("/api/get-update-channel", apitest.Bearer(ann)).Fails(http.StatusServiceUnavailable, "database_unavailable")
	g.Get("/api/get-update-channel").Fails(http.StatusUnauthorized, "no_token")
}

func TestAnAdminGivesAPersonAChannel(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	const id = "5d2c7b10-8e4f-4a3b-9c6d-2f1e0a9b8c7d"
	asked := func(want proto.Message) {
		t.Helper()
		if got, _ := g.Releases.Last(); !proto.Equal(got.(proto.Message), want) {
			t.Errorf("the service was asked %v", got)
		}
	}
	g.Get("/api/get-person-channel?userId="+id, apitest.Bearer(admin)).Is(http.StatusOK, `{"channel":"stable","setAt":null}`)
	asked(&releasesv1.GetUserChannelRequest{UserId: id})
	g.Post("/api/set-person-channel", `{"userId":"`+id+`","channel":"alpha","reason":"helps us test"}`, apitest.Bearer(admin)).
		Is(http.StatusOK, `{"channel":"alpha","setAt":"2027-01-15T08:00:00Z"}`)
	asked(&releasesv1.SetUserChannelRequest{UserId: id, Channel: releasesv1.Channel_CHANNEL_ALPHA, Reason: "helps us test"})
	g.Post("/api/set-person-channel", `{"userId":"`+id+`","channel":"none","reason":"helped us test"}`, apitest.Bearer(admin)).Is(http.StatusOK, `{"channel":"stable","setAt":null}`)
	asked(&releasesv1.SetUserChannelRequest{UserId: id, Reason: "helped us test"})
	g.Get("/api/get-person-channel?userId=ann", apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_user_id")
}
