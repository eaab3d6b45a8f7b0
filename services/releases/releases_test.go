package releases_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/bustest"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/logtest"
	"fledge.dev/services/platform/obs"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/rpc"
	"fledge.dev/services/platform/service"
	"fledge.dev/services/platform/servicetest"
	"fledge.dev/services/platform/waittest"
	"fledge.dev/services/releases"
)

// environment is a whole configuration as a deployment would give it.
func environment(t *testing.T, extra ...string) []string {
	t.Helper()
	return append([]string{
		"INTERNAL_TOKEN=" + servicetest.InternalToken,
		"SITE_ORIGIN=" + authntest.Origin,
		"IDENTITY_ADDR=127.0.0.1:1",
		"DATABASE_URL=postgres://releases@127.0.0.1:1/releases",
		"GITHUB_OWNER=fledge", "GITHUB_REPO=fledge-mac",
		"OPS_ADDR=",
	}, extra...)
}

func TestConfigNeedsARepositoryAndTakesDefaults(t *testing.T) {
	cfg, err := config.Load[releases.Config](environment(t, "GITHUB_TOKEN=github_pat_x"))
	errtest.None(t, err)
	if cfg.InitialAvailability != releases.Disabled || cfg.GitHub.APIURL != "https://api.github.com/" || cfg.GitHub.Token.Reveal() != "github_pat_x" {
		t.Errorf("got %+v", cfg)
	}
	for key, extra := range map[string]string{
		"GITHUB_OWNER":                  "GITHUB_OWNER=a/../b",
		"GITHUB_REPO":                   "GITHUB_REPO=",
		"GITHUB_API_URL":                "GITHUB_API_URL=http://github.internal/",
		"RELEASES_INITIAL_AVAILABILITY": "RELEASES_INITIAL_AVAILABILITY=yes",
		"DATABASE_URL":                  "DATABASE_URL=",
	} {
		if _, err := config.Load[releases.Config](environment(t, extra)); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: got %v", extra, err)
		}
	}
	const enabled = "RELEASES_INITIAL_AVAILABILITY=enabled"
	if _, err := config.Load[releases.Config](environment(t, enabled)); err == nil || !strings.Contains(err.Error(), "needs GITHUB_TOKEN") {
		t.Errorf("%s without a token: %v", enabled, err)
	}
	if _, err := config.Load[releases.Config](environment(t, enabled, "GITHUB_TOKEN=github_pat_x")); err != nil {
		t.Errorf("%s with a token: %v", enabled, err)
	}
}

// run starts the service as its binary does and returns a client of it.
func run(t *testing.T, log *logtest.Log, cfg releases.Config) releasesv1.ReleasesServiceClient {
	t.Helper()
	rt := service.NewRuntime("releases", "test", obs.NewLogger(log, "releases", cfg.LogLevel))
	units, err := releases.New(t.Context(), cfg, rt)
	errtest.None(t, err)
	servicetest.Run(t, rt, cfg.Base, units)
	conn, err := rpc.Dial(log.Addr(t, "grpc listening"), rpc.ClientConfig{})
	errtest.None(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	client := releasesv1.NewReleasesServiceClient(conn)
	waittest.Eventually(t, "the service answers", func() bool {
		_, err := client.GetLatestDownloads(t.Context(), &releasesv1.GetLatestDownloadsRequest{})
		return err == nil
	})
	return client
}

const page = `[{"id": 7, "tag_name": "v1.0.0", "name": "One", "draft": false, "prerelease": false, "published_at": "2026-09-01T16:00:00Z",
  "assets": [{"id": 70, "name": "Fledge-1.0.0-arm64.dmg", "state": "uploaded", "size": 3, "download_count": 2,
    "browser_download_url": "http://%s/fledge/fledge-mac/releases/download/v1.0.0/Fledge-1.0.0-arm64.dmg"}]}]`

func TestTheWholeServiceMirrorsTogglesAndAnnounces(t *testing.T) {
	issuer := authntest.New(t, nil)
	_, token := issuer.Admin("admin@fledge.test")
	nats := bustest.Start(t)
	const secret = "github_pat_must_not_show"
	gitHub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("asked with %q", r.Header.Get("Authorization"))
		}
		if strings.HasSuffix(r.URL.Path, "/releases/assets/70") {
			http.Redirect(w, r, "/storage/70", http.StatusFound)
			return
		}
		if !strings.HasSuffix(r.URL.Path, "/releases") {
			_, _ = io.WriteString(w, `{"full_name":"fledge/fledge-mac","private":false}`)
			return
		}
		_, _ = io.WriteString(w, strings.ReplaceAll(page, "%s", r.Host))
	}))
	t.Cleanup(gitHub.Close)

	cfg, err := config.Load[releases.Config](environment(t,
		"DATABASE_URL="+pgtest.NewEmpty(t), "NATS_URL="+nats.URL(), "IDENTITY_ADDR="+servicetest.Identity(t, issuer),
		"GRPC_ADDR=127.0.0.1:0", "GITHUB_API_URL="+gitHub.URL, "GITHUB_TOKEN="+secret, "LOG_LEVEL=debug"))
	errtest.None(t, err)
	var log logtest.Log
	client := run(t, &log, cfg)

	admin := authn.WithPrincipal(t.Context(), authn.Principal{Bearer: token})
	var list *releasesv1.ListReleasesResponse
	waittest.Eventually(t, "the first look at GitHub", func() bool {
		list, err = client.ListReleases(admin, &releasesv1.ListReleasesRequest{})
		return err == nil && len(list.GetReleases()) == 1
	})
	r := list.GetReleases()[0]
	if r.GetIsAvailable() || r.GetId() != 7 || r.GetDownloadCount() != 2 {
		t.Errorf("got %v", r)
	}
	if _, err := client.SetAvailability(admin, &releasesv1.SetAvailabilityRequest{ReleaseId: 7, Version: "1.0.0", IsAvailable: true}); err != nil {
		t.Fatal(err)
	}
	got, err := client.ResolveDownload(t.Context(), &releasesv1.ResolveDownloadRequest{Version: "1.0.0", Filename: "Fledge-1.0.0-arm64.dmg"})
	if err != nil || got.GetUrl() != gitHub.URL+"/storage/70" {
		t.Errorf("got %v, %v", got, err)
	}

	js := nats.JetStream()
	waittest.Eventually(t, "the event", func() bool {
		stream, err := js.Stream(t.Context(), "FLEDGE_RELEASES")
		if err != nil {
			return false
		}
		msg, err := stream.GetLastMsgForSubject(t.Context(), "fledge.releases.v1.staff.action")
		return err == nil && msg.Header.Get("Fledge-Subject") == "1.0.0"
	})
	if strings.Contains(log.String(), secret) {
		t.Error("the log holds the token")
	}
}

func TestWithNothingButItsDatabaseTheServiceServes(t *testing.T) {
	cfg, err := config.Load[releases.Config](environment(t,
		"DATABASE_URL="+pgtest.NewEmpty(t), "NATS_URL=nats://127.0.0.1:1", "GRPC_ADDR=127.0.0.1:0", "GITHUB_API_URL=http://127.0.0.1:1"))
	errtest.None(t, err)
	got, err := run(t, &logtest.Log{}, cfg).GetLatestDownloads(t.Context(), &releasesv1.GetLatestDownloadsRequest{})
	if err != nil || len(got.GetDownloads()) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
}
