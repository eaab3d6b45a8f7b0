package waitlist_test

import (
	"net/http"
	"testing"

	"google.golang.org/protobuf/proto"

	"fledge.dev/gateway/internal/apitest"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/fault"
)

func TestInvitations(t *testing.T) {
	g := apitest.Start(t)
	_, token := g.Issuer.User("user@example.com")
	for path, tt := range map[string]struct {
		asks   proto.Message
		answer string
	}{
		"/api/get-invitation":   {&waitlistv1.GetInvitationRequest{Claim: "c"}, `{"email":"invited@example.com"}`},
		"/api/claim-invitation": {&waitlistv1.ClaimInvitationRequest{Claim: "c"}, `{"message":"Your account uses this invitation now."}`},
	} {
		t.Run(path, func(t *testing.T) {
			g.Post(path, `{"claim":"c"}`, apitest.Bearer(token)).Is(http.StatusOK, tt.answer)
			if got, _ := g.Waitlist.Last(); !proto.Equal(got.(proto.Message), tt.asks) {
				t.Errorf("the service was asked %v, want %v", got, tt.asks)
			}
			g.Waitlist.Fail(fault.New(fault.Conflict, "invitation_used", "Used."))
			g.Post(path, `{"claim":"c"}`, apitest.Bearer(token)).Fails(http.StatusConflict, "invitation_used")
			g.Waitlist.Fail(nil)
		})
	}
}

func TestADownloadIsNoted(t *testing.T) {
	g := apitest.Start(t)
	_, token := g.Issuer.User("user@example.com")
	g.Post("/api/note-download", "{}", apitest.Bearer(token)).Is(http.StatusNoContent)
	if got, _ := g.Waitlist.Last(); !proto.Equal(got.(proto.Message), &waitlistv1.NoteDownloadRequest{}) {
		t.Errorf("the service was asked %v", got)
	}
}
