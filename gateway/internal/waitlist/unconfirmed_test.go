package waitlist_test

import (
	"net/http"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/apitest"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/fault"
)

const (
	confirm = "/api/confirm-waitlist"
	button  = `{"token":"` + apitest.AnyID + `"}`
)

func TestTheButtonConfirmsAnAddress(t *testing.T) {
	g := apitest.Start(t)
	g.Post(confirm, button).Is(http.StatusOK, `{"message":"You're on the waitlist!"}`)
	if got, _ := g.Waitlist.Last(); got.(*waitlistv1.ConfirmRequest).GetToken() != apitest.AnyID {
		t.Errorf("the service was asked %v", got)
	}
	g.Waitlist.Fail(fault.New(fault.NotFound, "confirm_link_unknown", "This link has ended."))
	g.Post(confirm, button).Fails(http.StatusNotFound, "confirm_link_unknown")
}

// TestAMailScannerConfirmsNothing by fetching links.
func TestAMailScannerConfirmsNothing(t *testing.T) {
	g := apitest.Start(t)
	if answer := g.Get(confirm + "?token=" + apitest.AnyID); answer.Status != http.StatusMethodNotAllowed || g.Waitlist.Count() != 0 {
		t.Errorf("%d, the service was asked %d times", answer.Status, g.Waitlist.Count())
	}
}

func TestStaffSeeWhoHasNotConfirmed(t *testing.T) {
	g := apitest.Start(t)
	_, token := g.Issuer.Admin("admin@example.com")
	at := timestamppb.New(time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC))
	g.Waitlist.SignUps = &waitlistv1.ListUnconfirmedResponse{NextCursor: "c2", SignUps: []*waitlistv1.UnconfirmedSignUp{{
		Email: "ada@example.com", Source: waitlistv1.Source_SOURCE_HERO_SECTION, CreatedAt: at, Mail: waitlistv1.Mail_MAIL_BOUNCED, MailReply: "550 5.1.1", EndsAt: at,
	}}}
	g.Get("/api/get-unconfirmed-sign-ups?search=ada&limit=1&cursor=c1", apitest.Bearer(token)).Is(http.StatusOK,
		`{"data":[{"email":"ada@example.com","source":"hero_section","created_at":"2026-11-21T08:00:00Z","mail":"bounced","mail_reply":"550 5.1.1","ends_at":"2026-11-21T08:00:00Z"}],"nextCursor":"c2"}`)
	want := &waitlistv1.ListUnconfirmedRequest{Search: "ada", Limit: 1, Cursor: "c1"}
	if got, _ := g.Waitlist.Last(); !proto.Equal(got.(proto.Message), want) {
		t.Errorf("the service was asked %v", got)
	}
}
