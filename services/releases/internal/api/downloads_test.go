package api_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/clock"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
	"fledge.dev/services/releases/internal/api"
	"fledge.dev/services/releases/internal/catalog"
	"fledge.dev/services/releases/internal/github"
	"fledge.dev/services/releases/internal/mirror"
	"fledge.dev/services/releases/internal/release"
)

// source has releases of these versions that are on offer.
type source []release.Version

func (s *source) Releases(context.Context) ([]release.Release, error) {
	var releases []release.Release
	for i, version := range *s {
		r := made(int64(i+1), version, "F-"+string(version)+"-arm64.dmg")
		r.Available, r.Rollout.Percentage = true, 100
		releases = append(releases, r)
	}
	return releases, nil
}

// serverOf answers of what the source has, and asks locate where it is.
func serverOf(t *testing.T, s *source, locate func(ctx context.Context, current bool) error) (*api.Server, *catalog.Catalog, *prometheus.Registry) {
	t.Helper()
	reg := prometheus.NewRegistry()
	offers := catalog.New(s, func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithCancel(ctx)
	}, clock.NewFake(noon), slog.New(slog.DiscardHandler))
	server, err := api.New(api.Parts{
		Catalog: offers,
		Locate: func(ctx context.Context, _ release.Asset, current bool) (string, error) {
			return host, locate(ctx, current)
		},
	}, reg)
	errtest.None(t, err)
	return server, offers, reg
}

// TestOnlyFilesThatNobodyIsSentToHaveABudget, as of the newest list.
func TestOnlyFilesThatNobodyIsSentToHaveABudget(t *testing.T) {
	var asked []bool
	releases := &source{"2.0.0", "1.0.0"}
	server, offers, _ := serverOf(t, releases, func(_ context.Context, current bool) error {
		asked = append(asked, current)
		return nil
	})
	resolve := func(version string) {
		t.Helper()
		_, err := server.ResolveDownload(t.Context(), &releasesv1.ResolveDownloadRequest{Version: version, Filename: "F-" + version + "-arm64.dmg", LookOnly: true})
		errtest.None(t, err)
	}
	resolve("2.0.0")
	resolve("1.0.0")
	_, err := server.ResolveLatestDownload(t.Context(), &releasesv1.ResolveLatestDownloadRequest{Arch: releasesv1.Arch_ARCH_ARM64, LookOnly: true})
	errtest.None(t, err)
	*releases = source{"1.0.0"}
	offers.Invalidate()
	resolve("1.0.0")
	*releases = source{"3.0.0"}
	offers.Invalidate()
	resolve("3.0.0")
	if want := []bool{true, false, true, true, true}; !slices.Equal(asked, want) {
		t.Errorf("files are current: %v, want %v", asked, want)
	}
}

// TestWhyADownloadIsUnavailable: a caller who leaves while GitHub is asked is no reason, and one
// whose time is up is.
func TestWhyADownloadIsUnavailable(t *testing.T) {
	var locate func(ctx context.Context) error
	server, _, reg := serverOf(t, &source{"1.0.0"}, func(ctx context.Context, _ bool) error { return locate(ctx) })
	until := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, tc := range map[string]struct {
		locate func(leave func()) func(context.Context) error
		is     error
	}{
		"the caller leaves": {func(leave func()) func(context.Context) error {
			return func(ctx context.Context) error { leave(); return until(ctx) }
		}, fault.Unavailable},
		"no time is left":      {func(func()) func(context.Context) error { return until }, fault.Unavailable},
		"GitHub has a limit":   {answers(&mirror.RateLimitedError{Wait: time.Minute}), fault.Unavailable},
		"the token":            {answers(&github.RefusedError{}), fault.Unavailable},
		"the limit is kept":    {answers(github.ErrSpent), fault.RateLimited},
		"nowhere to be sent":   {answers(github.ErrNowhere), fault.NotFound},
		"GitHub is in trouble": {answers(errors.New("502")), fault.Unavailable},
	} {
		ctx, leave := context.WithTimeout(t.Context(), 200*time.Millisecond)
		locate = tc.locate(leave)
		_, err := server.ResolveDownload(ctx, &releasesv1.ResolveDownloadRequest{Version: "1.0.0", Filename: "F-1.0.0-arm64.dmg"})
		leave()
		if !errors.Is(err, tc.is) {
			t.Errorf("%s: %v", name, err)
		}
	}
	const want = `
# HELP releases_downloads_unavailable_total Downloads for which GitHub gave no address, by reason: rate_limited, refused (the token), failed.
# TYPE releases_downloads_unavailable_total counter
releases_downloads_unavailable_total{reason="failed"} 2
releases_downloads_unavailable_total{reason="rate_limited"} 1
releases_downloads_unavailable_total{reason="refused"} 1
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "releases_downloads_unavailable_total"); err != nil {
		t.Error(err)
	}
}

// answers is GitHub's answer, whoever waits for it.
func answers(err error) func(func()) func(context.Context) error {
	return func(func()) func(context.Context) error { return func(context.Context) error { return err } }
}

// TestAFileThatIsGoneHasGitHubLookedAt at once, and nobody is sent anywhere or counted in the meantime.
func TestAFileThatIsGoneHasGitHubLookedAt(t *testing.T) {
	r := newRig(t)
	uploaded := made(1, "1.0.0", "F-1.0.0-arm64.dmg")
	r.github.set(nil, uploaded)
	r.list(t)
	r.set(t, 1, "1.0.0", true)
	uploaded.Assets = slices.Clone(uploaded.Assets)
	uploaded.Assets[0].GitHubID, uploaded.Assets[0].Digest = 99, "sha256:ff"
	r.github.set(nil, uploaded)
	_, err := r.client.ResolveDownload(t.Context(), &releasesv1.ResolveDownloadRequest{Version: "1.0.0", Filename: "F-1.0.0-arm64.dmg"})
	if !errors.Is(err, fault.Unavailable) {
		t.Errorf("a file that was replaced: %v", err)
	}
	waittest.Eventually(t, "the release to wait for another decision", func() bool {
		return r.query("SELECT count(*) FROM releases WHERE replaced_at IS NOT NULL AND NOT is_available") == 1
	})
	r.settle()
	if n := r.query("SELECT count(*) FROM downloads"); n != 0 {
		t.Errorf("%d downloads are counted", n)
	}
}
