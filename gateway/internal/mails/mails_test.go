package mails_test

import (
	"net/http"
	"testing"

	"google.golang.org/protobuf/proto"

	"fledge.dev/gateway/internal/apitest"
	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
)

func TestMailsByState(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Get("/api/get-mails?service=support&state=put_off&cursor=9", apitest.Bearer(admin)).Is(http.StatusOK,
		`{"data":[{"id":7,"state":"put_off","to":"ada@example.com","subject":"Hello","reply":"450 4.2.1","replyAt":"RCPT TO","queuedAt":"2026-11-21T09:30:00Z","nextTryAt":"2026-11-21T09:30:00Z","endedAt":null}],
		"nextCursor":"7","counts":[{"state":"put_off","count":3}]}`)
	if got, _ := g.Mail.Last(); !proto.Equal(got.(proto.Message), &mailv1.ListMailsRequest{State: mailv1.MailState_MAIL_STATE_PUT_OFF, Cursor: "9"}) {
		t.Errorf("asked %v", got)
	}
	g.Post("/api/change-mails", `{"service":"waitlist","ids":[7,8],"action":"drop"}`, apitest.Bearer(admin)).Is(http.StatusOK, `{"ids":[7,8]}`)
	if got, _ := g.Mail.Last(); !proto.Equal(got.(proto.Message), &mailv1.ChangeMailsRequest{Ids: []int64{7, 8}, Action: mailv1.ChangeMailsRequest_ACTION_DROP}) {
		t.Errorf("asked %v", got)
	}
	asked := g.Mail.Count()
	g.Get("/api/get-mails?service=billing&state=sent", apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_service")
	g.Post("/api/change-mails", `{"service":"releases","ids":[1],"action":"drop"}`, apitest.Bearer(admin)).Fails(http.StatusBadRequest, "invalid_service")
	if g.Mail.Count() != asked {
		t.Error("a refused request reached a service")
	}
}
