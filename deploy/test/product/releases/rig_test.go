package releases

import (
	"context"
	"log/slog"
	"maps"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	identityv1 "fledge.dev/proto/gen/go/fledge/identity/v1"
	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/errtest"

	"fledge.dev/deploy/standins/github"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/logtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/servicetest"
	"fledge.dev/services/platform/waittest"
	"fledge.dev/services/releases"
)

// identity knows one account, the admin.
type identity struct {
	identityv1.UnimplementedIdentityServiceServer
	issuer *authntest.Issuer
}

func (identity) CheckAccess(context.Context, *identityv1.CheckAccessRequest) (*identityv1.CheckAccessResponse, error) {
	return &identityv1.CheckAccessResponse{SignedIn: true, Active: true, StaffSession: true, Fresh: true, Roles: []identityv1.Role{identityv1.Role_ROLE_ADMIN}}, nil
}

func (i identity) GetJWKS(ctx context.Context, _ *identityv1.GetJWKSRequest) (*identityv1.GetJWKSResponse, error) {
	jwks, err := i.issuer.JWKS(ctx)
	return &identityv1.GetJWKSResponse{Jwks: jwks}, err
}

// waitlist approved everybody with one channel.
type waitlist struct {
	waitlistv1.UnimplementedWaitlistServiceServer
	channel atomic.Int32
	away    atomic.Bool
}

func (w *waitlist) GetStatus(context.Context, *waitlistv1.GetStatusRequest) (*waitlistv1.GetStatusResponse, error) {
	if w.away.Load() {
		return nil, status.Error(codes.Unavailable, "away")
	}
	return &waitlistv1.GetStatusResponse{Status: waitlistv1.Status_STATUS_APPROVED, Channel: waitlistv1.Channel(w.channel.Load())}, nil
}

// rig is the service, its GitHub and its one admin.
type rig struct {
	t      *testing.T
	github *github.Server
	client releasesv1.ReleasesServiceClient
	clock  *clock.Fake
	db     *pgxpool.Pool
	issuer *authntest.Issuer
	addr   string // of the service
	// identity is where the gateway asks who is an admin, and what the waitlist knows.
	identity string
	waitlist waitlist
	log      *logtest.Log // of the service
	settings []string
}

// shown is the time in which a change shows everywhere.
const shown = time.Second

func start(t *testing.T) *rig {
	t.Helper()
	// Tokens are of the real time, as the service's is that of its database.
	r := &rig{t: t, clock: clock.NewFake(time.Now()), issuer: authntest.New(t, nil)}

	url := pgtest.NewEmpty(t)
	var err error
	if r.db, err = pgxpool.New(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.db.Close)
	if r.github, err = github.Start(t.Context(), github.Options{Addr: "127.0.0.1:0"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.github.Close(context.Background()) })

	r.identity, r.log = r.startIdentity(), &logtest.Log{}
	r.settings = []string{
		"INTERNAL_TOKEN=" + internalToken, "SITE_ORIGIN=" + authntest.Origin, "OPS_ADDR=",
		"IDENTITY_ADDR=" + r.identity, "NATS_URL=nats://127.0.0.1:1", "DATABASE_URL=" + url, "GRPC_ADDR=127.0.0.1:0",
		"GITHUB_API_URL=" + r.github.URL(), "GITHUB_OWNER=" + github.Owner, "GITHUB_REPO=" + github.Repo, "GITHUB_TOKEN=" + github.Token,
		// The machine may be busy, and a failure is repeated only as the clock moves.
		"GITHUB_TIMEOUT=10s", "DATABASE_DEADLINE=20s", "DATABASE_STATEMENT_TIMEOUT=20s",
		"GITHUB_SYNC_SPACING=0s", "GITHUB_WEBHOOK_SECRETS=" + hookSecret,
	}
	r.addr, r.client = r.replica(r.log)
	r.await("the first look", func() bool {
		list, err := r.list()
		return err == nil && len(list) > 0
	})
	return r
}

// replica starts the service, or one more of it on the same database.
func (r *rig) replica(log *logtest.Log) (addr string, client releasesv1.ReleasesServiceClient) {
	r.t.Helper()
	cfg, err := config.Load[releases.Config](r.settings)
	errtest.None(r.t, err)
	r.run(cfg, log)
	addr = log.Addr(r.t, "grpc listening")
	conn, err := rpc.Dial(addr, rpc.ClientConfig{})
	errtest.None(r.t, err)
	r.t.Cleanup(func() { _ = conn.Close() })
	return addr, releasesv1.NewReleasesServiceClient(conn)
}

func (r *rig) run(cfg releases.Config, log *logtest.Log) {
	rt := service.NewRuntime("releases", "test", obs.NewLogger(log, "releases", slog.LevelDebug))
	rt.Clock = r.clock
	units, err := releases.New(r.t.Context(), cfg, rt)
	errtest.None(r.t, err)
	servicetest.Run(r.t, rt, cfg.Base, units)
}

func (r *rig) startIdentity() string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	errtest.None(r.t, err)
	server := grpc.NewServer()
	identityv1.RegisterIdentityServiceServer(server, identity{issuer: r.issuer})
	waitlistv1.RegisterWaitlistServiceServer(server, &r.waitlist)
	go func() { _ = server.Serve(listener) }()
	r.t.Cleanup(server.Stop)
	return listener.Addr().String()
}

// admin is a call by the admin, whose token is always fresh.
func (r *rig) admin() context.Context {
	_, token := r.issuer.User("admin@fledge.test")
	return authn.WithPrincipal(r.t.Context(), authn.Principal{Bearer: token})
}

// list asks as an admin would, which makes the service look at GitHub.
func (r *rig) list() (map[string]*releasesv1.Release, error) {
	resp, err := r.client.ListReleases(r.admin(), &releasesv1.ListReleasesRequest{})
	byVersion := map[string]*releasesv1.Release{}
	for _, rel := range resp.GetReleases() {
		byVersion[rel.GetVersion()] = rel
	}
	return byVersion, err
}

// find waits for a release: a list does not wait long for a look at GitHub.
func (r *rig) find(version string) (found *releasesv1.Release) {
	r.t.Helper()
	r.await("release "+version, func() bool {
		list, err := r.list()
		found = list[version]
		return err == nil && found != nil
	})
	return found
}

func (r *rig) enable(version string) {
	r.t.Helper()
	_, err := r.client.SetAvailability(r.admin(), &releasesv1.SetAvailabilityRequest{ReleaseId: r.find(version).GetId(), Version: version, IsAvailable: true})
	errtest.None(r.t, err)
	r.clock.Advance(shown)
}

// choose puts a release on a channel.
func (r *rig) choose(version string, channel releasesv1.Channel) {
	r.t.Helper()
	_, err := r.client.SetChannel(r.admin(), &releasesv1.SetChannelRequest{ReleaseId: r.find(version).GetId(), Version: version, Channel: channel})
	errtest.None(r.t, err)
	r.clock.Advance(shown)
}

// offers maps architectures to the offered files.
func (r *rig) offers() (map[releasesv1.Arch]string, error) {
	resp, err := r.client.GetLatestDownloads(r.t.Context(), &releasesv1.GetLatestDownloadsRequest{})
	out := map[releasesv1.Arch]string{}
	for _, d := range resp.GetDownloads() {
		out[d.GetArch()] = d.GetFilename()
	}
	return out, err
}

// buttons waits until the site offers the version's disk images, or none for "".
func (r *rig) buttons(version string) {
	r.t.Helper()
	want := map[releasesv1.Arch]string{}
	if version != "" {
		want[releasesv1.Arch_ARCH_ARM64] = "Fledge-" + version + "-arm64.dmg"
		want[releasesv1.Arch_ARCH_X64] = "Fledge-" + version + "-x64.dmg"
	}
	r.await("the buttons to offer "+version, func() bool {
		got, err := r.offers()
		return err == nil && maps.Equal(got, want)
	})
}

// pass makes it later: what replicas show is old, and the times of the mirror's schedule move
// back, as PostgreSQL's clock stays.
func (r *rig) pass(d time.Duration) error {
	r.clock.Advance(shown)
	_, err := r.db.Exec(r.t.Context(), "UPDATE github_sync SET due_at = due_at - $1::interval, held_until = held_until - $1::interval", d)
	return err
}

// await is waittest.Eventually with time that passes, so that what has failed is tried again.
func (r *rig) await(what string, ok func() bool) {
	r.t.Helper()
	waittest.Eventually(r.t, what, func() bool {
		if ok() {
			return true
		}
		_ = r.pass(time.Second) // until the service has started, there is no table
		return false
	})
}
