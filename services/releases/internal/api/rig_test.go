package api_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/periodic"
	"fledge.dev/services/platform/pg"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/releases/internal/api"
	"fledge.dev/services/releases/internal/catalog"
	"fledge.dev/services/releases/internal/downloads"
	"fledge.dev/services/releases/internal/github"
	"fledge.dev/services/releases/internal/mirror"
	"fledge.dev/services/releases/internal/release"
	"fledge.dev/services/releases/internal/store"
)

const (
	host          = "https://github.com/"
	hookSecret    = "0123456789abcdef0123" // not-a-secret
	internalToken = "0123456789abcdef0123456789abcdef"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// gitHub is a Lister that a test fills and breaks.
type gitHub struct {
	mu       sync.Mutex
	releases []release.Release
	err      error
	asked    int
}

func (g *gitHub) List(context.Context, []mirror.Page) (mirror.Listing, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.asked++
	return mirror.Listing{Releases: g.releases, Complete: true}, g.err
}

func (g *gitHub) times() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asked
}

// lacks tells whether a file is none of today's.
func (g *gitHub) lacks(id int64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !slices.ContainsFunc(g.releases, func(r release.Release) bool {
		return slices.ContainsFunc(r.Assets, func(a release.Asset) bool { return a.GitHubID == id })
	})
}

func (g *gitHub) set(err error, releases ...release.Release) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.err, g.releases = err, releases
}

// accounts are those that the issuer knows.
type accounts struct{ issuer *authntest.Issuer }

func (a accounts) IsActive(ctx context.Context, account uuid.UUID) (bool, error) {
	rights, err := a.issuer.CheckAccess(ctx, authn.Principal{UserID: account.String()})
	return rights.Active, err
}

type rig struct {
	client       releasesv1.ReleasesServiceClient
	gateway      releasesv1.ReleasesServiceClient // shows the internal token
	github       *gitHub
	clock        *clock.Fake
	issuer       *authntest.Issuer
	admin        context.Context
	server       *api.Server // called past its guards
	pool         *pgxpool.Pool
	killDatabase func()
	settle       func() // writes the counts that had to wait
	waiting      func() // is told when a person's time to wait begins
	query        func(sql string) int64
	exec         func(t *testing.T, sql string)
}

func newRig(t *testing.T) *rig { return newRigWith(t, hookSecret) }

// newRigWith has the webhook's secret, if any.
func newRigWith(t *testing.T, secret config.Secret) *rig {
	t.Helper()
	rt := service.NewRuntime("releases", "test", obs.NewLogger(io.Discard, "releases", 0))
	clk := clock.NewFake(noon)
	cfg := pg.Config{URL: config.Secret(pgtest.New(t, "releases", store.Migrate)), MaxConns: 10, StatementTimeout: 20 * time.Second, Deadline: 20 * time.Second}
	pool, err := pg.Open(t.Context(), cfg, rt)
	errtest.None(t, err)
	t.Cleanup(pool.Close)
	st, gh := store.New(pool), &gitHub{}
	counts := downloads.New(st, clk, rt.Log)
	offers := catalog.New(st, cfg.Interactive, clk, rt.Log)
	m, err := mirror.New(mirror.Config{
		Repository: "fledge/fledge-mac", Interval: 5 * time.Minute, Tick: time.Hour, Changed: offers.Invalidate,
	}, gh, st, clk, rt.Log, rt.Metrics)
	errtest.None(t, err)
	background, err := periodic.New(pool, rt)
	errtest.None(t, err)
	looks := m.Task()
	looks.Delay = time.Hour // only when it is asked to
	stopLooking, err := background.Unit(looks).Start(t.Context())
	errtest.None(t, err)
	t.Cleanup(func() { _ = stopLooking(context.Background()) })
	r, issuer := &rig{waiting: func() {}}, authntest.New(t, nil)
	impl, err := api.New(api.Parts{
		Store: st, Accounts: accounts{issuer}, Catalog: offers, Mirror: m, Counter: counts, Repository: "fledge/fledge-mac",
		Webhook: github.Config{Owner: "fledge", Repo: "fledge-mac", WebhookSecrets: secret}.Webhook(), Changed: offers.Invalidate, Clock: clk,
		Locate: func(_ context.Context, asset release.Asset, _ bool) (string, error) {
			if !strings.HasPrefix(asset.URL, host) {
				return "", github.ErrNowhere
			}
			if gh.lacks(asset.GitHubID) {
				return "", github.ErrGone
			}
			return asset.URL, nil
		},
		Interactive: func(ctx context.Context) (context.Context, context.CancelFunc) {
			r.waiting()
			return cfg.Interactive(ctx)
		},
		Log: rt.Log,
	}, rt.Metrics)
	errtest.None(t, err)
	server, err := rpc.NewServer(rpc.ServerConfig{Addr: "127.0.0.1:0", InternalToken: internalToken, MaxConnectionAge: time.Minute}, rt, issuer.Verifier(), issuer, api.Policy())
	errtest.None(t, err)
	server.Register(&releasesv1.ReleasesService_ServiceDesc, impl)
	stop, err := server.Unit().Start(t.Context())
	errtest.None(t, err)
	t.Cleanup(func() { _ = stop(context.Background()) })
	dial := func(internal config.Secret) releasesv1.ReleasesServiceClient {
		conn, err := rpc.Dial(server.Addr(), rpc.ClientConfig{InternalToken: internal})
		errtest.None(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		return releasesv1.NewReleasesServiceClient(conn)
	}
	_, token := issuer.Admin("admin@fledge.test")
	*r = rig{
		waiting: r.waiting,
		client:  dial(""), gateway: dial(internalToken), github: gh, clock: clk, issuer: issuer,
		admin: as(t, token), server: impl, pool: pool, killDatabase: pool.Close,
		settle: func() {
			t.Helper()
			stop, err := counts.Unit().Start(t.Context())
			errtest.None(t, errors.Join(err, stop(t.Context())))
		},
		query: func(sql string) (n int64) {
			t.Helper()
			errtest.None(t, pool.QueryRow(t.Context(), sql).Scan(&n))
			return n
		},
		exec: func(t *testing.T, sql string) {
			t.Helper()
			if _, err := pool.Exec(t.Context(), sql); err != nil {
				t.Fatal(err)
			}
		},
	}
	return r
}

func as(t *testing.T, token string) context.Context {
	return authn.WithPrincipal(t.Context(), authn.Principal{Bearer: token})
}

func made(id int64, v release.Version, files ...string) release.Release {
	r := release.Release{GitHubID: id, Version: v, Name: "Fledge " + string(v), Prerelease: v.IsPrerelease(), PublishedAt: noon.Add(-time.Hour)}
	for i, f := range files {
		r.Assets = append(r.Assets, release.Asset{GitHubID: id*10 + int64(i), Name: f, Size: 4711, URL: host + f, DownloadCount: 3})
	}
	return r
}

func (r *rig) list(t *testing.T) *releasesv1.ListReleasesResponse {
	t.Helper()
	resp, err := r.client.ListReleases(r.admin, &releasesv1.ListReleasesRequest{})
	errtest.None(t, err)
	return resp
}

func (r *rig) set(t *testing.T, id int64, version string, on bool) {
	t.Helper()
	resp, err := r.client.SetAvailability(r.admin, &releasesv1.SetAvailabilityRequest{ReleaseId: id, Version: version, IsAvailable: on})
	if err != nil || resp.GetRelease().GetIsAvailable() != on || resp.GetRelease().GetVersion() != version {
		t.Fatalf("set %s to %t: %v, %v", version, on, resp, err)
	}
}

func (r *rig) offers(t *testing.T) string {
	t.Helper()
	resp, err := r.client.GetLatestDownloads(t.Context(), &releasesv1.GetLatestDownloadsRequest{})
	errtest.None(t, err)
	var out []string
	for _, d := range resp.GetDownloads() {
		out = append(out, fmt.Sprintf("%s=%s@%s", d.GetArch(), d.GetFilename(), d.GetVersion()))
	}
	return strings.Join(out, " ")
}
