package identity_test

import (
	"net/http"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/apitest"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
)

func TestAuditLog(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	at := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	g.Identity.Audit = &identityv1.ListAuditEntriesResponse{NextCursor: "c1", Entries: []*identityv1.AuditEntry{{
		Id: apitest.AnyID, At: timestamppb.New(at), ActorId: apitest.AnyID, ActorEmail: "admin@example.com", Action: "user.roles_changed", Subject: "u1", SubjectLabel: "<b>@example.com",
		Before: `{"roles":["user"]}`, ClientIp: "203.0.113.7", UserAgent: "Safari/18", RequestId: "r1", Reason: "because",
	}}}
	g.Get("/api/get-audit-log", apitest.Bearer(admin)).Is(http.StatusOK, `{"nextCursor":"c1","data":[{"id":"`+apitest.AnyID+`","at":"2026-11-21T09:30:00Z","actor_id":"`+apitest.AnyID+`",
		"actor_email":"admin@example.com","action":"user.roles_changed","subject":"u1","subject_label":"<b>@example.com","before":{"roles":["user"]},"after":null,
		"client_ip":"203.0.113.7","user_agent":"Safari/18","request_id":"r1","reason":"because"}]}`)
	for query, want := range map[string]*identityv1.ListAuditEntriesRequest{
		"":               {Limit: 100},
		"action=all":     {Limit: 100},
		"about=a%40b.co": {Limit: 100, About: "a@b.co"},
		"action=ticket.updated&actor=a%40b.co&search=%25_&limit=5&cursor=c": {Action: "ticket.updated", Actor: "a@b.co", Search: "%_", Limit: 5, Cursor: "c"},
		"from=2026-11-21T09:30:00Z&to=2026-11-21T10:30:00.5%2B01:00":        {Limit: 100, From: timestamppb.New(at), To: timestamppb.New(at.Add(500 * time.Millisecond))},
		"from=&to=&actor=&search=":                                          {Limit: 100},
	} {
		g.Get("/api/get-audit-log?"+query, apitest.Bearer(admin)).Is(http.StatusOK)
		if got, _ := g.Identity.Last(); !proto.Equal(got.(proto.Message), want) {
			t.Errorf("%s asks %v, want %v", query, got, want)
		}
	}
	before := g.Identity.Count()
	for query, code := range map[string]string{
		"from=yesterday": "invalid_from", "to=2026-11-21": "invalid_to",
		"from=2026-13-01T00:00:00Z": "invalid_from",
		"limit=0":                   "invalid_limit", "from=2026-11-21T09:30:00Z&from=2026-11-21T09:30:00Z": "invalid_query", "subject=x": "unknown_parameter", "search=%00": "invalid_query",
	} {
		g.Get("/api/get-audit-log?"+query, apitest.Bearer(admin)).Fails(http.StatusBadRequest, code)
	}
	if g.Identity.Count() != before {
		t.Error("a refused request reached the service")
	}
}
