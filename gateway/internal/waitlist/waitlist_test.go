package waitlist_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"fledge.dev/gateway/internal/api"
	"fledge.dev/gateway/internal/apitest"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/fault"
)

const joined = `{"message":"You're on the waitlist!"}`

func TestAddWaitlistUser(t *testing.T) {
	g := apitest.Start(t)
	_, user := g.Issuer.User("user@example.com")
	_, admin := g.Issuer.Admin("admin@example.com")
	for name, tt := range map[string]struct {
		body    string
		options []apitest.Option
		asks    proto.Message
	}{
		"hero form":                {`{"email":"a@b.co","source":"hero_section"}`, nil, &waitlistv1.JoinRequest{Email: "a@b.co", Source: waitlistv1.Source_SOURCE_HERO_SECTION}},
		"second form":              {`{"email":"a@b.co","source":"cta_section"}`, nil, &waitlistv1.JoinRequest{Email: "a@b.co", Source: waitlistv1.Source_SOURCE_CTA_SECTION}},
		"the form, signed in":      {`{"email":"a@b.co","source":"cta_section"}`, []apitest.Option{apitest.Bearer(user)}, &waitlistv1.JoinRequest{Email: "a@b.co", Source: waitlistv1.Source_SOURCE_CTA_SECTION}},
		"an admin's form":          {`{"email":"a@b.co","source":"cta_section"}`, []apitest.Option{apitest.Bearer(admin)}, &waitlistv1.JoinRequest{Email: "a@b.co", Source: waitlistv1.Source_SOURCE_CTA_SECTION}},
		"an unknown source":        {`{"email":"a@b.co","source":"x"}`, nil, &waitlistv1.JoinRequest{Email: "a@b.co", Source: -1}},
		"an admin adds":            {`{"email":"a@b.co"}`, []apitest.Option{apitest.Bearer(admin)}, &waitlistv1.AddUserRequest{Email: "a@b.co"}},
		"text that looks like SQL": {`{"email":"' OR 1=1--{{7*7}}%s@b.co","source":"hero_section"}`, nil, &waitlistv1.JoinRequest{Email: "' OR 1=1--{{7*7}}%s@b.co", Source: waitlistv1.Source_SOURCE_HERO_SECTION}},
	} {
		t.Run(name, func(t *testing.T) {
			g.Post("/api/add-waitlist-user", tt.body, tt.options...).Is(http.StatusOK, joined)
			if got, _ := g.Waitlist.Last(); !proto.Equal(got.(proto.Message), tt.asks) {
				t.Errorf("the service was asked %v, want %v", got, tt.asks)
			}
		})
	}
}

func TestAddWaitlistUserRefuses(t *testing.T) {
	g := apitest.Start(t)
	for name, tt := range map[string]struct{ body, code string }{
		"a number": {`{"email":"a@b.co","source":1}`, "invalid_type"},
		"a status": {`{"email":"a@b.co","source":"hero_section","status":"approved"}`, "unknown_field"},
	} {
		t.Run(name, func(t *testing.T) {
			g.Post("/api/add-waitlist-user", tt.body).Fails(http.StatusBadRequest, tt.code)
		})
	}
	if g.Waitlist.Count() != 0 {
		t.Error("a refused request reached the service")
	}
}

func TestTheServicesFaultsReachTheClient(t *testing.T) {
	g := apitest.Start(t)
	for name, tt := range map[string]struct {
		fault  *fault.Error
		status int
	}{
		"invalid":     {fault.InvalidField("email", "Please enter a valid email address."), 400},
		"too fast":    {fault.New(fault.RateLimited, "rate_limited", "Slow down.").RetryAfter(time.Minute), 429},
		"unavailable": {fault.New(fault.Unavailable, "database_unavailable", "Later."), 503},
	} {
		t.Run(name, func(t *testing.T) {
			g.Waitlist.Fail(tt.fault)
			a := g.Post("/api/add-waitlist-user", `{"email":"a@b.co","source":"hero_section"}`).Fails(tt.status, tt.fault.Reason)
			if (a.Header.Get("Retry-After") != "") != (tt.status == 429 || tt.status == 503) {
				t.Errorf("Retry-After: %q", a.Header.Get("Retry-After"))
			}
		})
	}
}

func TestGetWaitlistStatus(t *testing.T) {
	g := apitest.Start(t)
	_, token := g.Issuer.User("user@example.com")
	for status, want := range map[waitlistv1.Status]string{
		waitlistv1.Status_STATUS_UNSPECIFIED: `{"status":null}`,
		waitlistv1.Status_STATUS_PENDING:     `{"status":"pending"}`,
		waitlistv1.Status_STATUS_APPROVED:    `{"status":"approved"}`,
		waitlistv1.Status_STATUS_REJECTED:    `{"status":"rejected"}`,
	} {
		g.Waitlist.Status = status
		g.Get("/api/get-waitlist-status", apitest.Bearer(token)).Is(http.StatusOK, want)
	}
}

func TestGetWaitlistUsers(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Get("/api/get-waitlist-users", apitest.Bearer(admin)).Is(http.StatusOK, `{"data":[],"nextCursor":null,"undelivered":0,"unconfirmed":0}`)
	g.Waitlist.Page = &waitlistv1.ListUsersResponse{NextCursor: "c2", Undelivered: 7, Unconfirmed: 3, Users: []*waitlistv1.WaitlistUser{{
		Id: apitest.AnyID, Email: "a@b.co", Status: waitlistv1.Status_STATUS_PENDING, Source: waitlistv1.Source_SOURCE_IMPORT,
		ClaimedEmail: "r@b.co", Mail: waitlistv1.Mail_MAIL_BOUNCED, MailReply: "550 5.1.1", Left: true,
		CreatedAt: timestamppb.New(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)), InvitationExpiredAt: timestamppb.New(time.Date(2026, 2, 2, 3, 4, 5, 0, time.UTC)),
	}}}
	for query, want := range map[string]*waitlistv1.ListUsersRequest{
		"":                                     {Limit: 100},
		"?status=all":                          {Limit: 100},
		"?status=&search=&cursor=":             {Limit: 100},
		"?status=approved&search=%25&limit=7":  {Limit: 7, Status: waitlistv1.Status_STATUS_APPROVED, Search: "%"},
		"?mail=undelivered&status=approved":    {Limit: 100, Status: waitlistv1.Status_STATUS_APPROVED, Undelivered: true},
		"?mail=all":                            {Limit: 100},
		"?status=rejected&cursor=c1&limit=100": {Limit: 100, Status: waitlistv1.Status_STATUS_REJECTED, Cursor: "c1"},
	} {
		g.Get("/api/get-waitlist-users"+query, apitest.Bearer(admin)).Is(http.StatusOK,
			`{"data":[{"id":"`+apitest.AnyID+`","email":"a@b.co","status":"pending","source":"import","created_at":"2026-01-02T03:04:05Z","claimed_email":"r@b.co","mail":"bounced","mail_reply":"550 5.1.1","left":true,"invitation_expired_at":"2026-02-02T03:04:05Z"}],"nextCursor":"c2","undelivered":7,"unconfirmed":3}`)
		if got, _ := g.Waitlist.Last(); !proto.Equal(got.(proto.Message), want) {
			t.Errorf("%s: the service was asked %v, want %v", query, got, want)
		}
	}
}

// TestEntriesOfAccountsThatMayNotBeUsed: the account that uses the invitation counts. A list is not
// withheld because identity does not answer.
func TestEntriesOfAccountsThatMayNotBeUsed(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Waitlist.Page = &waitlistv1.ListUsersResponse{Users: []*waitlistv1.WaitlistUser{
		{Id: apitest.AnyID, Email: "a@b.co", Status: waitlistv1.Status_STATUS_APPROVED, Source: waitlistv1.Source_SOURCE_IMPORT, ClaimedEmail: "r@b.co"},
		{Id: apitest.AnyID, Email: "c@b.co", Status: waitlistv1.Status_STATUS_PENDING, Source: waitlistv1.Source_SOURCE_IMPORT},
	}}
	g.Identity.States = &identityv1.ListUserStatesResponse{States: []*identityv1.EmailState{
		{Email: "a@b.co", State: identityv1.UserState_USER_STATE_DELETING}, {Email: "r@b.co", State: identityv1.UserState_USER_STATE_DISABLED},
	}}
	states := func() (states []string) {
		var page struct {
			Data []struct {
				State string `json:"user_state"`
			}
		}
		if a := g.Get("/api/get-waitlist-users", apitest.Bearer(admin)); a.Status != http.StatusOK || json.Unmarshal(a.Body, &page) != nil {
			t.Fatalf("the list: %d %s", a.Status, a.Body)
		}
		for _, u := range page.Data {
			states = append(states, u.State)
		}
		return states
	}
	if got := states(); !slices.Equal(got, []string{"disabled", ""}) {
		t.Errorf("the accounts are %q", got)
	}
	if got, _ := g.Identity.Last(); !proto.Equal(got.(proto.Message), &identityv1.ListUserStatesRequest{Emails: []string{"r@b.co", "c@b.co"}}) {
		t.Errorf("identity was asked %v", got)
	}
	g.Identity.Fail(apitest.ErrAway)
	if got := states(); !slices.Equal(got, []string{"", ""}) {
		t.Errorf("the accounts are %q", got)
	}
}

func TestGetWaitlistUsersRefuses(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for query, code := range map[string]string{
		"status=PENDING":                 "invalid_status",
		"status=x":                       "invalid_status",
		"status=pending&status=approved": "invalid_query",
		"status[]=x":                     "unknown_parameter",
		"mail=bounced":                   "invalid_mail",
		"user_id=" + apitest.AnyID:       "unknown_parameter",
		"limit=0":                        "invalid_limit",
		"limit=":                         "invalid_limit",
		"limit=1e2":                      "invalid_limit",
		"limit=99999999999999999999":     "invalid_limit",
		"search=%00":                     "invalid_query",
		"search=%ff":                     "invalid_query",
		"search=%zz":                     "invalid_query",
		"search=a;b":                     "invalid_query",
	} {
		g.Get("/api/get-waitlist-users?"+query, apitest.Bearer(admin)).Fails(http.StatusBadRequest, code)
	}
	if g.Waitlist.Count() != 0 {
		t.Error("a refused request reached the service")
	}
}

func TestApproveWaitlistUser(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	g.Post("/api/approve-waitlist-user", `{"waitlistUserId":"`+apitest.AnyID+`","action":"approve"}`, apitest.Bearer(admin)).
		Is(http.StatusOK, `{"message":"Waitlist user approved successfully"}`)
	if got, _ := g.Waitlist.Last(); got.(*waitlistv1.ApproveUserRequest).GetId() != apitest.AnyID {
		t.Errorf("asked %v", got)
	}
	g.Post("/api/approve-waitlist-user", `{"waitlistUserId":"`+apitest.AnyID+`","action":"remove"}`, apitest.Bearer(admin)).
		Is(http.StatusOK, `{"message":"Waitlist user removed successfully"}`)
	if got, _ := g.Waitlist.Last(); got.(*waitlistv1.RemoveUserRequest).GetId() != apitest.AnyID {
		t.Errorf("asked %v", got)
	}
	g.Post("/api/approve-waitlist-user", `{"waitlistUserId":"`+apitest.AnyID+`","action":"resend","reason":"lost"}`, apitest.Bearer(admin)).
		Is(http.StatusOK, `{"message":"The approval email is sent again"}`)
	if got, _ := g.Waitlist.Last(); got.(*waitlistv1.ResendApprovalRequest).GetId() != apitest.AnyID || got.(*waitlistv1.ResendApprovalRequest).GetReason() != "lost" {
		t.Errorf("asked %v", got)
	}
	g.Post("/api/approve-waitlist-user", `{"waitlistUserId":"`+apitest.AnyID+`","action":"resend"}`, apitest.Bearer(admin))
	if got, _ := g.Waitlist.Last(); got.(*waitlistv1.ResendApprovalRequest).Reason == nil {
		t.Error("no reason is not told from a gateway that asks for none")
	}
	g.Waitlist.Fail(fault.New(fault.Conflict, "rejected", "A removed entry cannot be approved."))
	g.Post("/api/approve-waitlist-user", `{"waitlistUserId":"`+apitest.AnyID+`","action":"approve"}`, apitest.Bearer(admin)).Fails(http.StatusConflict, "rejected")
}

func TestApproveWaitlistUserRefuses(t *testing.T) {
	g := apitest.Start(t)
	_, admin := g.Issuer.Admin("admin@example.com")
	for body, code := range map[string]string{
		`{"waitlistUserId":"` + apitest.AnyID + `"}`:                                      "invalid_action",
		`{"waitlistUserId":"` + apitest.AnyID + `","action":"Approve"}`:                   "invalid_action",
		`{"waitlistUserId":"` + apitest.AnyID + `","action":"approve","reason":"lost"}`:   "invalid_reason",
		`{"waitlistUserId":"` + apitest.AnyID + `","action":"approve","action":"remove"}`: "invalid_json",
		`{"waitlistUserId":["` + apitest.AnyID + `"],"action":"approve"}`:                 "invalid_type",
	} {
		g.Post("/api/approve-waitlist-user", body, apitest.Bearer(admin)).Fails(http.StatusBadRequest, code)
	}
	if g.Waitlist.Count() != 0 {
		t.Error("a refused request reached the service")
	}
}

// TestABurstThroughTheWholeGateway: everybody is signed up once and told so.
func TestABurstThroughTheWholeGateway(t *testing.T) {
	g := apitest.Start(t)
	var people sync.WaitGroup
	for n := range 50 {
		people.Go(func() {
			g.Post("/api/add-waitlist-user", fmt.Sprintf(`{"email":"p%d@b.co","source":"hero_section"}`, n)).Is(http.StatusOK, joined)
		})
	}
	people.Wait()
	seen := map[string]int{}
	g.Waitlist.Mu.Lock()
	defer g.Waitlist.Mu.Unlock()
	for _, request := range g.Waitlist.Requests {
		if join, ok := request.(*waitlistv1.JoinRequest); ok {
			seen[join.GetEmail()]++
		}
	}
	if len(seen) != 50 {
		t.Errorf("%d of 50 people are on the list", len(seen))
	}
	for email, times := range seen {
		if times != 1 {
			t.Errorf("%s was signed up %d times", email, times)
		}
	}
}

// TestASignUpThatHangsIsAnsweredInTime, well before other requests would be.
func TestASignUpThatHangsIsAnsweredInTime(t *testing.T) {
	g := apitest.Start(t, func(cfg *api.Config) { cfg.SignUpTimeout, cfg.RequestTimeout = 2*time.Second, 20*time.Second })
	// The first call connects to the service, which may take longer than that.
	g.Post("/api/open-invitation", `{"claim":"`+apitest.Challenge+`"}`).Is(http.StatusNoContent)
	g.Waitlist.Hold, g.Waitlist.Came, g.Waitlist.Left = make(chan struct{}), make(chan struct{}, 1), make(chan struct{}, 1)
	began := time.Now()
	g.Post("/api/add-waitlist-user", `{"email":"a@b.co","source":"hero_section"}`).Fails(http.StatusServiceUnavailable, "timeout")
	select {
	case <-g.Waitlist.Left:
	case <-time.After(20 * time.Second):
		t.Fatal("the service was not told")
	}
	if took := time.Since(began); took >= 20*time.Second {
		t.Errorf("it took %s", took)
	}
}
