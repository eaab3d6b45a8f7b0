package api_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/fault"
)

func TestEveryMethodIsGuarded(t *testing.T) {
	r := newRig(t)
	_, token := r.issuer.User("user@fledge.test")
	for who, tc := range map[string]struct {
		ctx                  context.Context
		dashboard, downloads error
	}{
		"nobody":    {t.Context(), fault.Unauthenticated, nil},
		"a user":    {as(t, token), fault.Forbidden, nil},
		"a forgery": {as(t, "x.y.z"), fault.Unauthenticated, fault.Unauthenticated},
		"an admin":  {r.admin, nil, nil},
	} {
		_, list := r.client.ListReleases(tc.ctx, &releasesv1.ListReleasesRequest{})
		_, set := r.client.SetAvailability(tc.ctx, &releasesv1.SetAvailabilityRequest{ReleaseId: 1, Version: "1.0.0"})
		_, latest := r.client.GetLatestDownloads(tc.ctx, &releasesv1.GetLatestDownloadsRequest{})
		_, resolve := r.client.ResolveDownload(tc.ctx, &releasesv1.ResolveDownloadRequest{Version: "1.0.0", Filename: "x"})
		if tc.dashboard == nil {
			tc.dashboard = fault.NotFound // of the release; the guard has let it pass
			if list != nil {
				t.Errorf("%s: list: %v", who, list)
			}
		} else if !errors.Is(list, tc.dashboard) {
			t.Errorf("%s: list: %v", who, list)
		}
		if !errors.Is(set, tc.dashboard) {
			t.Errorf("%s: set: %v", who, set)
		}
		if !errors.Is(latest, tc.downloads) {
			t.Errorf("%s: latest: %v", who, latest)
		}
		want := tc.downloads
		if want == nil {
			want = fault.NotFound
		}
		if !errors.Is(resolve, want) {
			t.Errorf("%s: resolve: %v", who, resolve)
		}
	}
}

func TestFromGitHubToTheDownloadButton(t *testing.T) {
	r := newRig(t)
	r.github.set(nil, made(2, "1.10.0", "F-1.10.0-arm64.dmg", "F-1.10.0-x64.dmg", "latest-mac.yml"), made(1, "1.9.0", "F-1.9.0-arm64.dmg"))

	got := r.list(t)
	if time.Since(got.GetLastCheck().AsTime()) > time.Minute || len(got.GetReleases()) != 2 {
		t.Fatalf("got %v", got)
	}
	want := &releasesv1.Release{
		Id: 2, Name: "Fledge 1.10.0", Version: "1.10.0", PublishedAt: got.GetReleases()[0].GetPublishedAt(), DownloadCount: 6, RolloutPercentage: 100, Channel: releasesv1.Channel_CHANNEL_STABLE,
		UpdateProblem: releasesv1.UpdateProblem_UPDATE_PROBLEM_NO_ARCHIVE,
		Assets: []*releasesv1.Asset{
			{Id: 20, Name: "F-1.10.0-arm64.dmg", Size: 4711}, {Id: 21, Name: "F-1.10.0-x64.dmg", Size: 4711}, {Id: 22, Name: "latest-mac.yml", Size: 4711},
		},
	}
	if !proto.Equal(got.GetReleases()[0], want) {
		t.Errorf("got %v, want %v", got.GetReleases()[0], want)
	}
	if offers := r.offers(t); offers != "" {
		t.Errorf("offered before anybody enabled it: %s", offers)
	}

	r.set(t, 1, "1.9.0", true)
	if got, want := r.offers(t), "ARCH_ARM64=F-1.9.0-arm64.dmg@1.9.0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.set(t, 2, "1.10.0", true)
	if got, want := r.offers(t), "ARCH_ARM64=F-1.10.0-arm64.dmg@1.10.0 ARCH_X64=F-1.10.0-x64.dmg@1.10.0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	r.set(t, 2, "1.10.0", false)
	if got, want := r.offers(t), "ARCH_ARM64=F-1.9.0-arm64.dmg@1.9.0"; got != want {
		t.Errorf("after taking it back got %q, want %q", got, want)
	}
}

func TestResolveHandsOutOfferedAssetsOnly(t *testing.T) {
	r := newRig(t)
	elsewhere := made(3, "3.0.0", "F-arm64.dmg")
	elsewhere.Assets[0].URL = "http://169.254.169.254/latest/meta-data"
	r.github.set(nil, made(2, "2.0.0", "F-2.0.0-arm64.dmg"), made(1, "1.0.0", "F-1.0.0-arm64.dmg"), elsewhere)
	r.list(t)
	r.set(t, 1, "1.0.0", true)
	r.set(t, 3, "3.0.0", true)

	got, err := r.client.ResolveDownload(t.Context(), &releasesv1.ResolveDownloadRequest{Version: "1.0.0", Filename: "F-1.0.0-arm64.dmg"})
	want := &releasesv1.ResolveDownloadResponse{Url: host + "F-1.0.0-arm64.dmg", Filename: "F-1.0.0-arm64.dmg", Size: 4711}
	if err != nil || !proto.Equal(got, want) {
		t.Fatalf("got %v, %v; want %v", got, err, want)
	}
	for version, filename := range map[string]string{
		"2.0.0":     "F-2.0.0-arm64.dmg", // not available
		"1.0.0":     "F-2.0.0-arm64.dmg", // of another release
		"v1.0.0":    "F-1.0.0-arm64.dmg",
		"3.0.0":     "F-arm64.dmg", // on a host that we do not send people to
		"":          "",
		"../1.0.0":  "../../etc/passwd",
		"1.0.0\x00": strings.Repeat("a", 10_000),
	} {
		if got, err := r.client.ResolveDownload(t.Context(), &releasesv1.ResolveDownloadRequest{Version: version, Filename: filename}); !errors.Is(err, fault.NotFound) {
			t.Errorf("%q/%.40q: %v, %v", version, filename, got, err)
		}
	}
	if _, err := r.client.ResolveDownload(t.Context(), &releasesv1.ResolveDownloadRequest{Version: "1.0.0", Filename: "F-1.0.0-arm64.dmg", LookOnly: true}); err != nil {
		t.Errorf("looking: %v", err)
	}
	r.settle()
	if n := r.query(`SELECT sum(count) FROM downloads WHERE version = '1.0.0' AND arch = 'arm64'`); n != 1 {
		t.Errorf("counted %d", n)
	}
	if n := r.query(`SELECT count(*) FROM downloads`); n != 1 {
		t.Errorf("%d rows: refused downloads were counted", n)
	}
}

func TestEveryDownloadIsCountedOnce(t *testing.T) {
	r := newRig(t)
	r.github.set(nil, made(1, "1.0.0", "F-arm64.dmg"))
	r.list(t)
	r.set(t, 1, "1.0.0", true)
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			for range 10 {
				if _, err := r.client.ResolveDownload(context.Background(), &releasesv1.ResolveDownloadRequest{Version: "1.0.0", Filename: "F-arm64.dmg"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	r.settle()
	if n := r.query(`SELECT sum(count) FROM downloads`); n != 100 {
		t.Errorf("counted %d, want 100", n)
	}
}

func TestBadTogglesAreRefused(t *testing.T) {
	r := newRig(t)
	r.github.set(nil, made(1, "1.0.0"), made(2, "2.0.0"))
	r.list(t)
	for name, tc := range map[string]struct {
		id      int64
		version string
		want    fault.Kind
		field   string
	}{
		"no id":           {0, "1.0.0", fault.Invalid, "release_id"},
		"negative id":     {-1, "1.0.0", fault.Invalid, "release_id"},
		"no version":      {1, "", fault.Invalid, "version"},
		"not a version":   {1, "latest", fault.Invalid, "version"},
		"SQL":             {1, "1.0.0'; DROP TABLE releases--", fault.Invalid, "version"},
		"NUL":             {1, "1.0.0\x00", fault.Invalid, "version"},
		"unknown id":      {1 << 62, "1.0.0", fault.NotFound, ""},
		"another version": {2, "1.0.0", fault.Conflict, ""},
	} {
		_, err := r.client.SetAvailability(r.admin, &releasesv1.SetAvailabilityRequest{ReleaseId: tc.id, Version: tc.version, IsAvailable: true})
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %s", name, err, tc.want)
		}
		if fields := fault.Of(err).Fields; tc.field != "" && (len(fields) != 1 || fields[0].Name != tc.field) {
			t.Errorf("%s: names %v", name, fields)
		}
	}
	if n := r.query(`SELECT count(*) FROM releases WHERE is_available`) + r.query(`SELECT count(*) FROM outbox`); n != 0 {
		t.Error("a refused toggle had an effect")
	}
}

func TestWithGitHubDownEverythingElseGoesOn(t *testing.T) {
	r := newRig(t)
	r.github.set(nil, made(1, "1.0.0", "F-arm64.dmg"))
	before := r.list(t)
	r.github.set(errors.New("502"))

	got := r.list(t)
	if len(got.GetReleases()) != 1 || !got.GetLastCheck().AsTime().Equal(before.GetLastCheck().AsTime()) {
		t.Errorf("the last good list must stay, with its time: %v", got)
	}
	r.set(t, 1, "1.0.0", true)
	if got := r.offers(t); got != "ARCH_ARM64=F-arm64.dmg@1.0.0" {
		t.Errorf("offers %q", got)
	}
}

// TestTheWaitForNewsIsPartOfAPersonsTime: a list may not take both GitHub's time and the
// database's.
func TestTheWaitForNewsIsPartOfAPersonsTime(t *testing.T) {
	r := newRig(t)
	asked := -1
	r.waiting = func() { asked = r.github.times() }
	r.list(t)
	if asked != 0 || r.github.times() != 1 {
		t.Errorf("the time began after %d of %d questions to GitHub", asked, r.github.times())
	}
}

func TestWithTheDatabaseDownDownloadsGoOn(t *testing.T) {
	r := newRig(t)
	r.github.set(nil, made(1, "1.0.0", "F-arm64.dmg"))
	r.list(t)
	r.set(t, 1, "1.0.0", true)
	offered := r.offers(t)

	r.killDatabase()
	r.clock.Advance(time.Hour)
	if got := r.offers(t); got != offered || got == "" {
		t.Errorf("offers %q, want %q", got, offered)
	}
	if _, err := r.client.ResolveDownload(t.Context(), &releasesv1.ResolveDownloadRequest{Version: "1.0.0", Filename: "F-arm64.dmg"}); err != nil {
		t.Errorf("resolve: %v", err)
	}
	if _, err := r.client.ListReleases(r.admin, &releasesv1.ListReleasesRequest{}); !errors.Is(err, fault.Unavailable) {
		t.Errorf("list: %v", err)
	}
	if _, err := r.client.SetAvailability(r.admin, &releasesv1.SetAvailabilityRequest{ReleaseId: 1, Version: "1.0.0"}); !errors.Is(err, fault.Unavailable) {
		t.Errorf("set: %v", err)
	}
}
