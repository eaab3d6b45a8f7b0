package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
)

func TestAuditLog(t *testing.T) {
	g := start(t)
	_, admin := g.issuer.Admin("admin@example.com")
	at := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	g.identity.audit = &identityv1.ListAuditEntriesResponse{NextCursor: "c1", Entries: []*identityv1.AuditEntry{{
		Id: anyID, At: timestamppb.New(at), ActorId: anyID, ActorEmail: "admin@example.com", Action: "user.roles_changed", Subject: "u1", SubjectLabel: "<b>@example.com",
		Before: `{"roles":["user"]}`, ClientIp: "203.0.113.7", UserAgent: "Safari/18", RequestId: "r1",
	}}}
	g.get("/api/get-audit-log", bearer(admin)).is(http.StatusOK, `{"nextCursor":"c1","data":[{"id":"`+anyID+`","at":"2026-11-21T09:30:00Z","actor_id":"`+anyID+`",
		"actor_email":"admin@example.com","action":"user.roles_changed","subject":"u1","subject_label":"<b>@example.com","before":{"roles":["user"]},"after":null,
		"client_ip":"203.0.113.7","user_agent":"Safari/18","request_id":"r1"}]}`)
	for query, want := range map[string]*identityv1.ListAuditEntriesRequest{
		"":           {Limit: 100},
		"action=all": {Limit: 100},
		"action=ticket.updated&actor=a%40b.co&search=%25_&limit=5&cursor=c": {Action: "ticket.updated", Actor: "a@b.co", Search: "%_", Limit: 5, Cursor: "c"},
		"from=2026-11-21T09:30:00Z&to=2026-11-21T10:30:00.5%2B01:00":        {Limit: 100, From: timestamppb.New(at), To: timestamppb.New(at.Add(500 * time.Millisecond))},
		"from=&to=&actor=&search=":                                          {Limit: 100},
	} {
		g.get("/api/get-audit-log?"+query, bearer(admin)).is(http.StatusOK)
		if got, _ := g.identity.last(); !proto.Equal(got.(proto.Message), want) {
			t.Errorf("%s asks %v, want %v", query, got, want)
		}
	}
	before := g.identity.count()
	for query, code := range map[string]string{
		"action=waitlist.%25": "invalid_action", "action=WAITLIST.APPROVED": "invalid_action", "from=yesterday": "invalid_from", "to=2026-11-21": "invalid_to",
		"from=2026-13-01T00:00:00Z": "invalid_from", "actor=" + strings.Repeat("x", 255): "invalid_actor", "search=" + strings.Repeat("x", 255): "invalid_search",
		"limit=0": "invalid_limit", "limit=101": "invalid_limit", "from=2026-11-21T09:30:00Z&from=2026-11-21T09:30:00Z": "invalid_query", "subject=x": "unknown_parameter", "search=%00": "invalid_query",
	} {
		g.get("/api/get-audit-log?"+query, bearer(admin)).fails(http.StatusBadRequest, code)
	}
	if g.identity.count() != before {
		t.Error("a refused request reached the service")
	}
}

// TestTheAuditLogIsFilteredByEveryAction of the description, from which the site takes its
// list, and in which deploy/test/repo looks for those of the services.
func TestTheAuditLogIsFilteredByEveryAction(t *testing.T) {
	g := start(t)
	_, admin := g.issuer.Admin("admin@example.com")
	doc, err := openapi3.NewLoader().LoadFromData(document(t))
	if err != nil {
		t.Fatal(err)
	}
	parameter := doc.Paths.Find("/api/get-audit-log").Get.Parameters.GetByInAndName("query", "action")
	for _, action := range parameter.Schema.Value.Enum {
		g.get(fmt.Sprintf("/api/get-audit-log?action=%s", action), bearer(admin)).is(http.StatusOK)
	}
}

func TestBulkApprove(t *testing.T) {
	g := start(t)
	_, admin := g.issuer.Admin("admin@example.com")
	const path = "/api/bulk-approve-waitlist-users"
	g.post(path, `{"waitlistUserIds":["`+strings.ToUpper(anyID)+`","`+rejectedID+`"]}`, bearer(admin)).is(http.StatusOK, `{"results":[
		{"waitlistUserId":"`+anyID+`","ok":true},
		{"waitlistUserId":"`+rejectedID+`","ok":false,"code":"waitlist_user_rejected","error":"This waitlist user was removed. Add the email address again first."}]}`)
	before := g.waitlist.count()
	for name, body := range map[string]string{
		"no list": `{}`, "null": `{"waitlistUserIds":null}`, "none": `{"waitlistUserIds":[]}`, "no ids": `{"waitlistUserIds":["x"]}`,
		"another form": `{"waitlistUserIds":["urn:uuid:` + anyID + `"]}`, "one twice": `{"waitlistUserIds":["` + anyID + `","` + strings.ToUpper(anyID) + `"]}`,
		"too many": `{"waitlistUserIds":[` + strings.Repeat(`"`+anyID+`",`, 100) + `"` + anyID + `"]}`,
	} {
		a := g.post(path, body, bearer(admin)).fails(http.StatusBadRequest, "invalid_waitlist_user_ids")
		if t.Failed() {
			t.Fatalf("%s: %s", name, a.body)
		}
	}
	if g.waitlist.count() != before {
		t.Error("a refused request reached the service")
	}
}
