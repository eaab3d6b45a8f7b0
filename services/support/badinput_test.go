package support_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/fault"
)

// TestBadTicketsAreNotOpened: the service refuses by itself what the gateway would not
// have passed on.
func TestBadTicketsAreNotOpened(t *testing.T) {
	r := newRig(t)
	s := r.serve()
	ada := r.asUser("ada@example.com")
	r.openTicket(ada, s, "help")
	r.sent(1)
	before := r.effects()
	good := &supportv1.CreateTicketRequest{
		Category: supportv1.Category_CATEGORY_BUG, Priority: supportv1.Priority_PRIORITY_LOW, Subject: "s", Message: "m", IdempotencyKey: "n",
	}
	creates := map[string]func(*supportv1.CreateTicketRequest){
		"no category":             func(r *supportv1.CreateTicketRequest) { r.Category = 0 },
		"an unknown category":     func(r *supportv1.CreateTicketRequest) { r.Category = 6 },
		"an unknown priority":     func(r *supportv1.CreateTicketRequest) { r.Priority = 5 },
		"no message":              func(r *supportv1.CreateTicketRequest) { r.Message = "" },
		"a blank message":         func(r *supportv1.CreateTicketRequest) { r.Message = " \r\n\t\u00a0" },
		"a long message":          func(r *supportv1.CreateTicketRequest) { r.Message = strings.Repeat("é", 10_001) },
		"nothing that is seen":    func(r *supportv1.CreateTicketRequest) { r.Message = "\x00\x1b[31m\u009b" },
		"a long subject":          func(r *supportv1.CreateTicketRequest) { r.Subject = strings.Repeat("x", 201) },
		"a long app version":      func(r *supportv1.CreateTicketRequest) { r.AppVersion = strings.Repeat("x", 65) },
		"a long system":           func(r *supportv1.CreateTicketRequest) { r.OperatingSystem = strings.Repeat("x", 129) },
		"no key":                  func(r *supportv1.CreateTicketRequest) { r.IdempotencyKey = "" },
		"a long key":              func(r *supportv1.CreateTicketRequest) { r.IdempotencyKey = strings.Repeat("k", 256) },
		"a key that is not ASCII": func(r *supportv1.CreateTicketRequest) { r.IdempotencyKey = "ké" },
	}
	for name, spoil := range creates {
		req := proto.Clone(good).(*supportv1.CreateTicketRequest)
		spoil(req)
		_, err := s.CreateTicket(ada, req)
		refused(t, name, err, fault.Invalid)
	}
	_, err := s.CreateTicket(ada, withKey(good, "k"))
	refused(t, "a ticket's key, reworded", err, fault.Conflict)
	if after := r.effects(); after != before {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

func TestBadAnswersAndRepliesHaveNoEffect(t *testing.T) {
	r := newRig(t)
	s := r.serve()
	adaID, token := r.issuer.User("ada@example.com")
	ada, bea, admin := r.as(token), r.asUser("bea@example.com"), r.asAdmin()
	id := r.openTicket(ada, s, "help").GetId()
	r.sent(1)
	before := r.effects()
	openFor := func(userID string) error {
		_, err := s.OpenTicketFor(admin, &supportv1.OpenTicketForRequest{UserId: userID, Category: supportv1.Category_CATEGORY_BUG, Message: "m", IdempotencyKey: "k"})
		return err
	}
	update := func(ctx context.Context, req *supportv1.UpdateTicketRequest) error {
		_, err := s.UpdateTicket(ctx, req)
		return err
	}
	bulk := func(req *supportv1.BulkUpdateTicketsRequest) error {
		_, err := s.BulkUpdateTickets(admin, req)
		return err
	}
	reply := func(ctx context.Context, req *supportv1.ReplyToTicketRequest) error {
		_, err := s.ReplyToTicket(ctx, req)
		return err
	}
	edit := func(req *supportv1.EditTicketRequest) error {
		_, err := s.EditTicket(admin, req)
		return err
	}
	earlier := func(req *supportv1.ListMessagesRequest) error {
		_, err := s.ListMessages(admin, req)
		return err
	}
	closed := supportv1.Status_STATUS_CLOSED
	item := func(id string) *supportv1.BulkUpdateTicketsRequest_Item {
		return &supportv1.BulkUpdateTicketsRequest_Item{Id: id}
	}
	many := make([]*supportv1.BulkUpdateTicketsRequest_Item, 101)
	for i := range many {
		many[i] = item(uuid.NewString())
	}
	for name, tt := range map[string]struct {
		err  error
		want fault.Kind
	}{
		"open by hand":            {update(admin, &supportv1.UpdateTicketRequest{Id: id, Status: supportv1.Status_STATUS_OPEN}), fault.Invalid},
		"no status":               {update(admin, &supportv1.UpdateTicketRequest{Id: id}), fault.Invalid},
		"an unknown status":       {update(admin, &supportv1.UpdateTicketRequest{Id: id, Status: 5}), fault.Invalid},
		"the number for the id":   {update(admin, &supportv1.UpdateTicketRequest{Id: "TKT-000001", Status: closed}), fault.Invalid},
		"an id in another form":   {update(admin, &supportv1.UpdateTicketRequest{Id: "urn:uuid:" + id, Status: closed}), fault.Invalid},
		"an assignee's as well":   {edit(&supportv1.EditTicketRequest{Id: id, AssigneeId: new("urn:uuid:" + adaID)}), fault.Invalid},
		"a message's as well":     {earlier(&supportv1.ListMessagesRequest{Id: id, Before: "{" + uuid.NewString() + "}"}), fault.Invalid},
		"an account's as well":    {openFor("urn:uuid:" + adaID), fault.Invalid},
		"no id":                   {update(admin, &supportv1.UpdateTicketRequest{Status: closed}), fault.Invalid},
		"an unknown id":           {update(admin, &supportv1.UpdateTicketRequest{Id: uuid.NewString(), Status: closed}), fault.NotFound},
		"the nil id":              {update(admin, &supportv1.UpdateTicketRequest{Id: uuid.Nil.String(), Status: closed}), fault.NotFound},
		"a negative version":      {update(admin, &supportv1.UpdateTicketRequest{Id: id, Status: closed, Version: -1}), fault.Invalid},
		"a long answer":           {update(admin, &supportv1.UpdateTicketRequest{Id: id, Status: closed, Response: strings.Repeat("x", 10_001)}), fault.Invalid},
		"an update by a customer": {update(ada, &supportv1.UpdateTicketRequest{Id: id, Status: closed}), fault.Forbidden},
		"an update by nobody":     {update(t.Context(), &supportv1.UpdateTicketRequest{Id: id, Status: closed}), fault.Unauthenticated},
		"nothing in bulk":         {bulk(&supportv1.BulkUpdateTicketsRequest{Status: closed}), fault.Invalid},
		"too much in bulk":        {bulk(&supportv1.BulkUpdateTicketsRequest{Status: closed, Tickets: many}), fault.Invalid},
		"one twice in bulk":       {bulk(&supportv1.BulkUpdateTicketsRequest{Status: closed, Tickets: []*supportv1.BulkUpdateTicketsRequest_Item{item(id), item(strings.ToUpper(id))}}), fault.Invalid},
		"one bad id among good":   {bulk(&supportv1.BulkUpdateTicketsRequest{Status: closed, Tickets: []*supportv1.BulkUpdateTicketsRequest_Item{item(id), item("7")}}), fault.Invalid},
		"open in bulk":            {bulk(&supportv1.BulkUpdateTicketsRequest{Status: supportv1.Status_STATUS_OPEN, Tickets: many[:1]}), fault.Invalid},
		"a stranger's reply":      {reply(bea, &supportv1.ReplyToTicketRequest{Id: id, Message: "x", IdempotencyKey: "r"}), fault.NotFound},
		"an admin as a customer":  {reply(admin, &supportv1.ReplyToTicketRequest{Id: id, Message: "x", IdempotencyKey: "r"}), fault.NotFound},
		"an empty reply":          {reply(ada, &supportv1.ReplyToTicketRequest{Id: id, Message: " ", IdempotencyKey: "r"}), fault.Invalid},
		"a reply without a key":   {reply(ada, &supportv1.ReplyToTicketRequest{Id: id, Message: "x"}), fault.Invalid},
		"a reply to a number":     {reply(ada, &supportv1.ReplyToTicketRequest{Id: "TKT-000001", Message: "x", IdempotencyKey: "r"}), fault.Invalid},
		"a reply of a control":    {reply(ada, &supportv1.ReplyToTicketRequest{Id: id, Message: "\a", IdempotencyKey: "r"}), fault.Invalid},
	} {
		refused(t, name, tt.err, tt.want)
	}
	if after := r.effects(); after != before {
		t.Errorf("before %+v, after %+v", before, after)
	}
}

func withKey(req *supportv1.CreateTicketRequest, key string) *supportv1.CreateTicketRequest {
	clone := proto.Clone(req).(*supportv1.CreateTicketRequest)
	clone.IdempotencyKey = key
	return clone
}

func refused(t *testing.T, what string, err error, want fault.Kind) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %s", what, err, want)
	}
}

func TestBadReads(t *testing.T) {
	r := newRig(t)
	s := r.serve()
	admin, ada := r.asAdmin(), r.asUser("ada@example.com")
	list := func(req *supportv1.ListTicketsRequest) error { _, err := s.ListTickets(admin, req); return err }
	for name, req := range map[string]*supportv1.ListTicketsRequest{
		"a negative page":     {Page: -1},
		"a page too far":      {Page: 200_001},
		"a negative limit":    {Limit: -1},
		"a limit too large":   {Limit: 101},
		"an unknown status":   {Filter: &supportv1.Filter{Status: 5}},
		"an unknown category": {Filter: &supportv1.Filter{Category: -1}},
		"an unknown priority": {Filter: &supportv1.Filter{Priority: 9}},
		"a long search":       {Filter: &supportv1.Filter{Search: strings.Repeat("x", 255)}},
	} {
		refused(t, name, list(req), fault.Invalid)
	}
	for _, cursor := range []string{"x", "AAAA", strings.Repeat("A", 400), "' OR 1=1--"} {
		_, err := s.ListMyTickets(ada, &supportv1.ListMyTicketsRequest{Cursor: cursor})
		refused(t, "a cursor "+cursor, err, fault.Invalid)
		_, err = s.ExportTickets(admin, &supportv1.ExportTicketsRequest{Cursor: cursor})
		refused(t, "a cursor "+cursor, err, fault.Invalid)
	}
	_, err := s.ListMyTickets(ada, &supportv1.ListMyTicketsRequest{Limit: 21})
	refused(t, "a limit too large", err, fault.Invalid)
	_, err = s.GetTicket(admin, &supportv1.GetTicketRequest{Id: uuid.NewString()})
	refused(t, "an unknown ticket", err, fault.NotFound)
	_, err = s.GetTicket(admin, &supportv1.GetTicketRequest{Id: "TKT-000001"})
	refused(t, "the number for the id", err, fault.Invalid)
}
