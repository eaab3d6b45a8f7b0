package apitest

import (
	"context"
	"io"
	"sync"

	"google.golang.org/grpc"

	"fledge.dev/gateway/internal/backend"
	billingv1 "fledge.dev/proto/gen/go/fledge/billing/v1"
	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	mailv1 "fledge.dev/proto/gen/go/fledge/mail/v1"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/clientinfo"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
)

// Calls records what a fake was asked, and by whom.
type Calls struct {
	Mu       sync.Mutex
	Requests []any
	callers  []authn.Principal
	IDs      []string
	Clients  []clientinfo.Info
	err      error
}

// record notes the call and returns the failure that the test wants.
func (c *Calls) record(ctx context.Context, req any) error {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	p, _ := authn.FromContext(ctx)
	c.Requests, c.callers, c.IDs = append(c.Requests, req), append(c.callers, p), append(c.IDs, obs.RequestID(ctx))
	c.Clients = append(c.Clients, clientinfo.FromContext(ctx))
	return c.err
}

// Fail makes all calls fail with err.
func (c *Calls) Fail(err error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.err = err
}

// Count is how many calls there were.
func (c *Calls) Count() int {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return len(c.Requests)
}

// Last is the latest request and its caller.
func (c *Calls) Last() (any, authn.Principal) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if len(c.Requests) == 0 {
		return nil, authn.Principal{}
	}
	return c.Requests[len(c.Requests)-1], c.callers[len(c.callers)-1]
}

// ErrAway is a service without its database.
var ErrAway = fault.New(fault.Unavailable, "database_unavailable", "Please try again.")

// serve runs the services, each behind the platform's real server and guard, and
// returns where they listen.
func (g *Gateway) serve() backend.Config {
	g.Mail = &mailFake{}
	g.Identity = &identityFake{issuer: g.Issuer, Session: &identityv1.Session{}}
	g.Waitlist = &waitlistFake{Page: &waitlistv1.ListUsersResponse{}, stats: monthOfStats(), Came: make(chan struct{}, 1), Left: make(chan struct{}, 1)}
	g.Releases = &releasesFake{List: &releasesv1.ListReleasesResponse{}, Stats: &releasesv1.GetDownloadStatsResponse{}, Usage: &releasesv1.GetUsageResponse{}}
	g.Billing = &billingFake{
		Checkout: &billingv1.CreateCheckoutSessionResponse{}, Portal: &billingv1.CreatePortalSessionResponse{},
		History: &billingv1.ListCreditEntriesResponse{}, Held: &billingv1.HoldCreditsResponse{}, Came: make(chan struct{}, 1),
	}
	g.Support = newSupport()
	cfg := backend.Config{}
	cfg.Identity, g.Identity.Leave = g.listen(&identityv1.IdentityService_ServiceDesc, g.Identity)
	cfg.Billing, g.Billing.Leave = g.listen(&billingv1.BillingService_ServiceDesc, g.Billing)
	cfg.Waitlist, _ = g.listen(&waitlistv1.WaitlistService_ServiceDesc, g.Waitlist)
	cfg.Support, g.Support.Leave = g.listen(&supportv1.SupportService_ServiceDesc, g.Support, g.Support.Parts.addTo)
	cfg.Releases, g.Releases.Leave = g.listen(&releasesv1.ReleasesService_ServiceDesc, g.Releases)
	return cfg
}

// guarded says who may call the fakes; everything else is open, so that the
// tests see the gateway's own guard. AddUser and whether an account may still move
// money are the questions that the gateway leaves to a service.
var guarded = authn.Policy{
	identityv1.IdentityService_CreateSession_FullMethodName:       authn.Internal,
	identityv1.IdentityService_ExchangeHandOffCode_FullMethodName: authn.Internal,
	identityv1.IdentityService_CreateServerToken_FullMethodName:   authn.Internal,
	identityv1.IdentityService_CheckAccess_FullMethodName:         authn.Internal,
	identityv1.IdentityService_GetJWKS_FullMethodName:             authn.Internal,
	waitlistv1.WaitlistService_AddUser_FullMethodName:             authn.Admin,
	waitlistv1.WaitlistService_GetInvitation_FullMethodName:       authn.Active,
	waitlistv1.WaitlistService_ClaimInvitation_FullMethodName:     authn.Active,
	billingv1.BillingService_CreateCheckoutSession_FullMethodName: authn.Active,
	billingv1.BillingService_SyncCheckoutSession_FullMethodName:   authn.Active,
	billingv1.BillingService_CreatePortalSession_FullMethodName:   authn.Active,
	billingv1.BillingService_ConsumeCredits_FullMethodName:        authn.ActiveOrServer,
	billingv1.BillingService_HoldCredits_FullMethodName:           authn.ActiveOrServer,
	billingv1.BillingService_SettleCredits_FullMethodName:         authn.ActiveOrServer,
	billingv1.BillingService_ReceiveStripeEvent_FullMethodName:    authn.Internal,
	releasesv1.ReleasesService_ReceiveGitHubEvent_FullMethodName:  authn.Internal,
	releasesv1.ReleasesService_CountUpdateChecks_FullMethodName:   authn.Internal,
	supportv1.SupportService_CreateTicket_FullMethodName:          authn.Active,
	supportv1.SupportService_ReplyToTicket_FullMethodName:         authn.Active,
}

// listen returns where the service is served and what ends that.
func (g *Gateway) listen(desc *grpc.ServiceDesc, impl any, depends ...func(*service.Health)) (string, func()) {
	g.T.Helper()
	policy := authn.Policy{
		mailv1.MailService_Report_FullMethodName:      authn.Internal,
		mailv1.MailService_ListMails_FullMethodName:   authn.Public,
		mailv1.MailService_ChangeMails_FullMethodName: authn.Public,
	}
	for _, m := range desc.Methods {
		full := "/" + desc.ServiceName + "/" + m.MethodName
		policy[full] = guarded[full]
	}
	rt := service.NewRuntime("test", "test", obs.NewLogger(io.Discard, "test", 0))
	for _, on := range depends {
		on(rt.Health)
	}
	server, err := rpc.NewServer(rpc.ServerConfig{Addr: "127.0.0.1:0", InternalToken: InternalToken}, rt, g.Issuer.Verifier(), g.Issuer, policy)
	if err != nil {
		g.T.Fatal(err)
	}
	server.Register(desc, impl)
	server.Register(&mailv1.MailService_ServiceDesc, g.Mail)
	stop, err := server.Unit().Start(g.T.Context())
	if err != nil {
		g.T.Fatal(err)
	}
	end := sync.OnceFunc(func() { _ = stop(context.Background()) })
	g.T.Cleanup(end)
	return server.Addr(), end
}
