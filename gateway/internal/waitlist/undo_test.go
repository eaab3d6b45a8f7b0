package waitlist_test

import (
	"net/http"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/apitest"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/fault"
)

// TestAnApprovalTellsUntilWhenItCanBeUndone wherever it is done or listed.
func TestAnApprovalTellsUntilWhenItCanBeUndone(t *testing.T) {
	g := apitest.Start(t)
	_, token := g.Issuer.Admin("admin@example.com")
	admin := apitest.Bearer(token)
	until := timestamppb.New(time.Date(2026, 11, 28, 9, 1, 0, 0, time.UTC))
	g.Waitlist.UndoUntil = until
	g.Waitlist.Page = &waitlistv1.ListUsersResponse{Users: []*waitlistv1.WaitlistUser{{
		Id: apitest.AnyID, Email: "a@b.co", Status: waitlistv1.Status_STATUS_APPROVED, Source: waitlistv1.Source_SOURCE_IMPORT,
		Mail: waitlistv1.Mail_MAIL_WAITING, CreatedAt: until, UndoUntil: until,
	}}}
	g.Post("/api/approve-waitlist-user", `{"waitlistUserId":"`+apitest.AnyID+`","action":"approve"}`, admin).
		Is(http.StatusOK, `{"message":"Waitlist user approved successfully","undo_until":"2026-11-28T09:01:00Z"}`)
	g.Post("/api/bulk-approve-waitlist-users", `{"waitlistUserIds":["`+apitest.AnyID+`","`+apitest.RejectedID+`"]}`, admin).Is(http.StatusOK, `{"results":[
		{"waitlistUserId":"`+apitest.AnyID+`","ok":true,"undo_until":"2026-11-28T09:01:00Z"},
		{"waitlistUserId":"`+apitest.RejectedID+`","ok":false,"code":"waitlist_user_rejected","error":"This waitlist user was removed. Add the email address again first."}]}`)
	g.Get("/api/get-waitlist-users", admin).Is(http.StatusOK, `{"data":[{"id":"`+apitest.AnyID+`","email":"a@b.co","status":"approved","source":"import",
		"created_at":"2026-11-28T09:01:00Z","claimed_email":null,"mail":"waiting","mail_reply":null,"left":false,"undo_until":"2026-11-28T09:01:00Z"}],
		"nextCursor":null,"undelivered":0,"unconfirmed":0}`)
}

func TestAnApprovalIsUndone(t *testing.T) {
	g := apitest.Start(t)
	_, token := g.Issuer.Admin("admin@example.com")
	undo := func() apitest.Answer {
		return g.Post("/api/approve-waitlist-user", `{"waitlistUserId":"`+apitest.AnyID+`","action":"undo"}`, apitest.Bearer(token))
	}
	undo().Is(http.StatusOK, `{"message":"The approval is undone; its email is not sent"}`)
	if got, _ := g.Waitlist.Last(); got.(*waitlistv1.UndoApprovalRequest).GetId() != apitest.AnyID {
		t.Errorf("asked %v", got)
	}
	g.Waitlist.Expired = timestamppb.New(time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC))
	undo().Is(http.StatusOK, `{"message":"The approval is undone; its email is not sent","invitation_expired_at":"2026-11-01T09:00:00Z"}`)
	g.Waitlist.Fail(fault.New(fault.Conflict, "approval_undo_too_late", "It is too late to undo: the email is on its way."))
	undo().Fails(http.StatusConflict, "approval_undo_too_late")
}
