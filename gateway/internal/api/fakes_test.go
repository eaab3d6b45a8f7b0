package api_test

import (
	"context"
	"sync"

	"google.golang.org/grpc"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"

	"fledge.dev/gateway/internal/backend"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
)

// calls records what a fake was asked, and by whom.
type calls struct {
	mu       sync.Mutex
	requests []any
	callers  []authn.Principal
	ids      []string
	err      error
}

// record notes the call and returns the failure that the test wants.
func (c *calls) record(ctx context.Context, req any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, _ := authn.FromContext(ctx)
	c.requests, c.callers, c.ids = append(c.requests, req), append(c.callers, p), append(c.ids, obs.RequestID(ctx))
	return c.err
}

func (c *calls) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
}

func (c *calls) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.requests)
}

// last is the latest request and its caller.
func (c *calls) last() (any, authn.Principal) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.requests) == 0 {
		return nil, authn.Principal{}
	}
	return c.requests[len(c.requests)-1], c.callers[len(c.callers)-1]
}

type identityFake struct {
	identityv1.UnimplementedIdentityServiceServer
	calls
	issuer  *authntest.Issuer
	session *identityv1.Session
}

func (f *identityFake) CreateSession(ctx context.Context, r *identityv1.CreateSessionRequest) (*identityv1.CreateSessionResponse, error) {
	return &identityv1.CreateSessionResponse{Session: f.session}, f.record(ctx, r)
}

func (f *identityFake) SignOut(ctx context.Context, r *identityv1.SignOutRequest) (*identityv1.SignOutResponse, error) {
	return &identityv1.SignOutResponse{}, f.record(ctx, r)
}

func (f *identityFake) GetUser(ctx context.Context, r *identityv1.GetUserRequest) (*identityv1.GetUserResponse, error) {
	return &identityv1.GetUserResponse{User: f.session.GetUser()}, f.record(ctx, r)
}

func (f *identityFake) IsAdmin(ctx context.Context, r *identityv1.IsAdminRequest) (*identityv1.IsAdminResponse, error) {
	p, _ := authn.FromContext(ctx)
	rights, _ := f.issuer.CheckAccess(ctx, p)
	return &identityv1.IsAdminResponse{IsAdmin: rights.Admin}, f.record(ctx, r)
}

func (f *identityFake) CheckAccess(ctx context.Context, r *identityv1.CheckAccessRequest) (*identityv1.CheckAccessResponse, error) {
	rights, err := f.issuer.CheckAccess(ctx, authn.Principal{UserID: r.GetUserId(), SessionID: r.GetSessionId()})
	resp := &identityv1.CheckAccessResponse{SignedIn: rights.SignedIn, Active: rights.Active}
	if rights.Admin {
		resp.Roles = []identityv1.Role{identityv1.Role_ROLE_ADMIN}
	}
	return resp, err
}

func (f *identityFake) GetJWKS(ctx context.Context, _ *identityv1.GetJWKSRequest) (*identityv1.GetJWKSResponse, error) {
	f.mu.Lock()
	err := f.err
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	jwks, err := f.issuer.JWKS(ctx)
	return &identityv1.GetJWKSResponse{Jwks: jwks}, err
}

type waitlistFake struct {
	waitlistv1.UnimplementedWaitlistServiceServer
	calls
	status waitlistv1.Status
	page   *waitlistv1.ListUsersResponse
	// A Join waits for hold, if there is one. It reports that it came, and when
	// its caller left before.
	hold, came, left chan struct{}
}

func (f *waitlistFake) Join(ctx context.Context, r *waitlistv1.JoinRequest) (*waitlistv1.JoinResponse, error) {
	if f.hold != nil {
		f.came <- struct{}{}
		select {
		case <-f.hold:
		case <-ctx.Done():
			f.left <- struct{}{}
			return nil, ctx.Err()
		}
	}
	return &waitlistv1.JoinResponse{}, f.record(ctx, r)
}

func (f *waitlistFake) AddUser(ctx context.Context, r *waitlistv1.AddUserRequest) (*waitlistv1.AddUserResponse, error) {
	return &waitlistv1.AddUserResponse{}, f.record(ctx, r)
}

func (f *waitlistFake) GetStatus(ctx context.Context, r *waitlistv1.GetStatusRequest) (*waitlistv1.GetStatusResponse, error) {
	return &waitlistv1.GetStatusResponse{Status: f.status}, f.record(ctx, r)
}

func (f *waitlistFake) ListUsers(ctx context.Context, r *waitlistv1.ListUsersRequest) (*waitlistv1.ListUsersResponse, error) {
	return f.page, f.record(ctx, r)
}

func (f *waitlistFake) ApproveUser(ctx context.Context, r *waitlistv1.ApproveUserRequest) (*waitlistv1.ApproveUserResponse, error) {
	return &waitlistv1.ApproveUserResponse{}, f.record(ctx, r)
}

func (f *waitlistFake) RemoveUser(ctx context.Context, r *waitlistv1.RemoveUserRequest) (*waitlistv1.RemoveUserResponse, error) {
	return &waitlistv1.RemoveUserResponse{}, f.record(ctx, r)
}

type releasesFake struct {
	releasesv1.UnimplementedReleasesServiceServer
	calls
	list      *releasesv1.ListReleasesResponse
	downloads []*releasesv1.Download
	url       string
}

func (f *releasesFake) ListReleases(ctx context.Context, r *releasesv1.ListReleasesRequest) (*releasesv1.ListReleasesResponse, error) {
	return f.list, f.record(ctx, r)
}

func (f *releasesFake) SetAvailability(ctx context.Context, r *releasesv1.SetAvailabilityRequest) (*releasesv1.SetAvailabilityResponse, error) {
	release := &releasesv1.Release{Id: r.GetReleaseId(), Version: r.GetVersion(), IsAvailable: r.GetIsAvailable()}
	return &releasesv1.SetAvailabilityResponse{Release: release}, f.record(ctx, r)
}

func (f *releasesFake) GetLatestDownloads(ctx context.Context, r *releasesv1.GetLatestDownloadsRequest) (*releasesv1.GetLatestDownloadsResponse, error) {
	return &releasesv1.GetLatestDownloadsResponse{Downloads: f.downloads}, f.record(ctx, r)
}

func (f *releasesFake) ResolveDownload(ctx context.Context, r *releasesv1.ResolveDownloadRequest) (*releasesv1.ResolveDownloadResponse, error) {
	return &releasesv1.ResolveDownloadResponse{Url: f.url, Filename: r.GetFilename()}, f.record(ctx, r)
}

// serve runs the services, each behind the platform's real server and guard, and
// returns where they listen.
func (g *gateway) serve() backend.Config {
	g.identity = &identityFake{issuer: g.issuer}
	g.waitlist = &waitlistFake{page: &waitlistv1.ListUsersResponse{}, came: make(chan struct{}, 1), left: make(chan struct{}, 1)}
	g.releases = &releasesFake{list: &releasesv1.ListReleasesResponse{}}
	g.health = map[string]*healthFake{"billing": newHealth(g.t), "support": newHealth(g.t)}
	return backend.Config{
		Identity: g.listen(&identityv1.IdentityService_ServiceDesc, g.identity),
		Waitlist: g.listen(&waitlistv1.WaitlistService_ServiceDesc, g.waitlist),
		Releases: g.listen(&releasesv1.ReleasesService_ServiceDesc, g.releases),
		Billing:  g.health["billing"].addr, Support: g.health["support"].addr,
	}
}

func (g *gateway) listen(desc *grpc.ServiceDesc, impl any) string {
	g.t.Helper()
	policy := authn.Policy{}
	for _, m := range desc.Methods {
		policy["/"+desc.ServiceName+"/"+m.MethodName] = authn.Public
	}
	for _, method := range []string{identityv1.IdentityService_CheckAccess_FullMethodName, identityv1.IdentityService_GetJWKS_FullMethodName} {
		policy[method] = authn.Internal
	}
	rt := service.NewRuntime("test", "test", obs.NewLogger(&log{}, "test", 0))
	server, err := rpc.NewServer(rpc.ServerConfig{Addr: "127.0.0.1:0", InternalToken: internalToken}, rt, g.issuer.Verifier(), g.issuer, policy)
	if err != nil {
		g.t.Fatal(err)
	}
	server.Register(desc, impl)
	stop, err := server.Unit().Start(g.t.Context())
	if err != nil {
		g.t.Fatal(err)
	}
	g.t.Cleanup(func() { _ = stop(context.Background()) })
	return server.Addr()
}
