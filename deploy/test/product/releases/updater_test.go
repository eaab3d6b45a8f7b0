package releases

import (
	"bytes"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/errtest"

	"fledge.dev/deploy/standins/github"
)

// app is an installed Mac app that looks for an update, as updater/app.cjs plays it.
type app struct {
	Feed    string `json:"feed"`
	Arch    string `json:"arch"`
	Version string `json:"version"`
	Home    string `json:"home"`
	// Darwin is the version of the kernel, Rosetta an Intel app on Apple silicon.
	Darwin         string `json:"darwin,omitempty"`
	Rosetta        bool   `json:"rosetta,omitempty"`
	StagingID      string `json:"stagingId,omitempty"`
	Install        bool   `json:"install,omitempty"`
	AllowDowngrade bool   `json:"allowDowngrade,omitempty"`
	Channel        string `json:"channel,omitempty"`
	// Says are headers in which the app tells of itself.
	Says map[string]string `json:"says,omitempty"`
	// Percentage asks the app what it would decide about such a rollout itself.
	Percentage int `json:"percentage,omitempty"`
}

// outcome is what became of a look.
type outcome struct {
	Available bool     `json:"available"`
	Version   string   `json:"version"`
	Notes     string   `json:"notes"`
	Minimum   string   `json:"minimumVersion"`
	Error     string   `json:"error"`
	Installed string   `json:"installed"` // SHA-512 of what Squirrel got
	Received  int      `json:"received"`  // bytes over the wire
	InRollout bool     `json:"inRollout"`
	Log       []string `json:"log"`
}

func (o outcome) String() string {
	return fmt.Sprintf("available %t, version %q, error %q, installed %.12q", o.Available, o.Version, o.Error, o.Installed)
}

// look runs the apps. Each has a home of its own unless it names one.
func (r *rig) look(apps ...app) []outcome {
	r.t.Helper()
	if _, err := os.Stat(filepath.Join("updater", "node_modules", "electron-updater")); err != nil {
		r.t.Fatal("electron-updater is not installed: run `npm ci --ignore-scripts` in deploy/test/product/releases/updater (make test-whole does)")
	}
	for i := range apps {
		if apps[i].Home == "" {
			apps[i].Home = r.t.TempDir()
		}
	}
	input, err := json.Marshal(apps)
	errtest.None(r.t, err)
	var stderr bytes.Buffer
	cmd := exec.CommandContext(r.t.Context(), "node", filepath.Join("updater", "app.cjs"))
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	output, err := cmd.Output()
	var outcomes []outcome
	if err == nil {
		err = json.Unmarshal(output, &outcomes)
	}
	if err != nil || len(outcomes) != len(apps) {
		r.t.Fatalf("%d outcomes, %v: %s%s", len(outcomes), err, output, stderr.String())
	}
	return outcomes
}

func sha(content []byte) string {
	sum := sha512.Sum512(content)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// archives are the checksums of a version's archives by architecture.
func archives(version string) map[string]string {
	build := github.Build(version)
	return map[string]string{"arm64": sha(build[2].Content), "x64": sha(build[3].Content)}
}

func TestTheUpdaterInstallsTheBuildForItsMac(t *testing.T) {
	r := start(t)
	feed := r.serve() + "/api/updates"
	r.offer("1.1.0")
	want := archives("1.1.0")
	apps := []app{
		{Feed: feed, Arch: "arm64", Version: "1.0.0", Install: true},
		{Feed: feed, Arch: "x64", Version: "1.0.0", Install: true},
		{Feed: feed, Arch: "x64", Version: "1.0.0", Install: true, Rosetta: true},
	}
	for i, o := range r.look(apps...) {
		arch := apps[i].Arch
		if apps[i].Rosetta {
			arch = "arm64" // back to the Mac's own
		}
		if o.Error != "" || !o.Available || o.Version != "1.1.0" || o.Installed != want[arch] || o.Notes != "Exports straight to Xcode and starts twice as fast." {
			t.Errorf("%+v: %s\n%s", apps[i], o, strings.Join(o.Log, "\n"))
		}
	}
	if list, err := r.list(); err != nil || list["1.1.0"].GetSiteDownloadCount() != 3 {
		t.Errorf("three updates are counted as %d, %v", list["1.1.0"].GetSiteDownloadCount(), err)
	}

	for name, a := range map[string]app{
		"up to date":   {Version: "1.1.0"},
		"ahead":        {Version: "2.0.0"},
		"a later beta": {Version: "1.2.0-beta.1"},
		"macOS 11":     {Version: "1.0.0", Darwin: "20.6.0"},
	} {
		a.Feed, a.Arch = feed, "arm64"
		if o := r.look(a)[0]; o.Error != "" || o.Available {
			t.Errorf("%s: %s", name, o)
		}
	}
	if o := r.look(app{Feed: feed, Arch: "x64", Version: "1.0.0", Darwin: "21.0.0"})[0]; !o.Available {
		t.Errorf("macOS 12: %s", o)
	}
}

// TestAGitHubThatSendsBytesInsteadOfAddresses has its releases offered all the same.
func TestAGitHubThatSendsBytesInsteadOfAddresses(t *testing.T) {
	r := start(t)
	r.github.Stream(true)
	feed := r.serve() + "/api/updates"
	r.offer("1.1.0")
	if o := r.look(app{Feed: feed, Arch: "arm64", Version: "1.0.0", Install: true})[0]; o.Error != "" || o.Installed != archives("1.1.0")["arm64"] {
		t.Errorf("%s\n%s", o, strings.Join(o.Log, "\n"))
	}
}

// TestTheUpdaterRefusesOtherBytes: the checksum in the feed is that of the upload,
// whatever comes over the wire.
func TestTheUpdaterRefusesOtherBytes(t *testing.T) {
	r := start(t)
	feed := r.serve() + "/api/updates"
	r.offer("1.1.0")
	for _, release := range r.github.Releases() {
		if release.Tag == "v1.1.0" {
			spoiled := slices.Clone(release.Assets[2].Content)
			spoiled[len(spoiled)/2] ^= 1
			release.Assets[2].Content = spoiled
			r.github.Put(release)
		}
	}
	got := r.look(app{Feed: feed, Arch: "arm64", Version: "1.0.0", Install: true}, app{Feed: feed, Arch: "x64", Version: "1.0.0", Install: true})
	if got[0].Error != "ERR_CHECKSUM_MISMATCH" || got[0].Installed != "" {
		t.Errorf("other bytes: %s", got[0])
	}
	if got[1].Error != "" || got[1].Installed == "" {
		t.Errorf("the other build: %s", got[1])
	}
}

func TestTheUpdaterSeesNoUpdateAsNoUpdate(t *testing.T) {
	r := start(t)
	feed := r.serve() + "/api/updates"
	none := func(when string) {
		t.Helper()
		for _, downgrade := range []bool{false, true} {
			if o := r.look(app{Feed: feed, Arch: "arm64", Version: "1.0.0", AllowDowngrade: downgrade})[0]; o.Error != "" || o.Available {
				t.Errorf("%s, may go back %t: %s", when, downgrade, o)
			}
		}
	}
	none("nothing was ever offered")
	r.enable("1.2.0-beta.1")
	none("only a beta is")
	r.offer("1.1.0")
	r.disable("1.1.0")
	none("the release is disabled")
	r.enable("1.1.0")
	if o := r.look(app{Feed: feed, Arch: "arm64", Version: "1.0.0"})[0]; !o.Available {
		t.Fatalf("enabled again: %s", o)
	}
	r.rollOut("1.1.0", 0)
	none("the rollout is at 0 %")
	r.offer("1.0.0")
	none("the previous release is its own")
	if o := r.look(app{Feed: feed, Arch: "arm64", Version: "0.9.0"})[0]; !o.Available || o.Version != "1.0.0" {
		t.Errorf("an older app: %s", o)
	}
}

// TestAnAppFollowsItsChannel there and back, as electron-updater does it: whoever names a
// channel also goes back to a lower version.
func TestAnAppFollowsItsChannel(t *testing.T) {
	r := start(t)
	feed := r.serve() + "/api/updates"
	r.offer("1.1.0")
	r.enable("1.2.0-beta.1")
	r.await("the checksums of the beta", func() bool {
		resp, err := r.client.GetUpdate(t.Context(), &releasesv1.GetUpdateRequest{Channel: releasesv1.Channel_CHANNEL_BETA})
		return err == nil && resp.GetUpdate().GetVersion() == "1.2.0-beta.1"
	})
	r.clock.Advance(shown)
	for _, tc := range []struct{ channel, from, to string }{
		{"", "1.0.0", "1.1.0"},
		{"beta", "1.1.0", "1.2.0-beta.1"},
		{"alpha", "1.1.0", "1.2.0-beta.1"},
		{"beta", "1.2.0-beta.1", ""},
		{"latest", "1.2.0-beta.1", "1.1.0"},
	} {
		o := r.look(app{Feed: feed, Arch: "arm64", Version: tc.from, Channel: tc.channel, AllowDowngrade: tc.channel != "", Install: tc.to != ""})[0]
		if o.Error != "" || o.Available != (tc.to != "") || tc.to != "" && (o.Version != tc.to || o.Installed != archives(tc.to)["arm64"]) {
			t.Errorf("%q from %s: %s", tc.channel, tc.from, o)
		}
	}
	r.disable("1.2.0-beta.1")
	if o := r.look(app{Feed: feed, Arch: "arm64", Version: "1.2.0-beta.1", Channel: "beta", AllowDowngrade: true})[0]; o.Error != "" || o.Version != "1.1.0" {
		t.Errorf("after the beta was withdrawn: %s", o)
	}
}

// TestAnAppIsToldWhatItMissed, that it has to update, and is counted, by what it says of itself.
func TestAnAppIsToldWhatItMissed(t *testing.T) {
	r := start(t)
	feed := r.serve() + "/api/updates"
	r.offer("1.0.0")
	r.offer("1.1.0")
	_, err := r.client.SetRequired(r.admin(), &releasesv1.SetRequiredRequest{ReleaseId: r.find("1.0.0").GetId(), Version: "1.0.0", IsRequired: true})
	errtest.None(t, err)
	r.clock.Advance(shown)
	o := r.look(app{Feed: feed, Arch: "arm64", Version: "0.9.0", Install: true, Says: map[string]string{"x-app-version": "0.9.0", "x-app-arch": "arm64", "x-macos-version": "14.5"}})[0]
	if o.Error != "" || o.Installed == "" || o.Minimum != "1.0.0" || !strings.HasPrefix(o.Notes, "1.1.0: ") || !strings.Contains(o.Notes, "\n1.0.0: ") {
		t.Errorf("%s: minimum %q, notes %q", o, o.Minimum, o.Notes)
	}
	r.await("the check to be counted", func() bool {
		usage, err := r.client.GetUsage(r.admin(), &releasesv1.GetUsageRequest{Days: 2})
		return err == nil && len(usage.GetSystems()) == 1 && usage.GetSystems()[0].GetName() == "14" && usage.GetArchs()[0].GetName() == "arm64"
	})
}

// TestTheSplitIsTheUpdatersOwn: the server decides about each app as the app itself
// would.
func TestTheSplitIsTheUpdatersOwn(t *testing.T) {
	r := start(t)
	feed := r.serve() + "/api/updates"
	r.offer("1.0.0")
	r.offer("1.1.0")
	r.rollOut("1.1.0", 25)
	var apps []app
	for i := range 60 {
		id := uuid.NewSHA1(uuid.NameSpaceOID, fmt.Append(nil, i)).String()
		apps = append(apps, app{Feed: feed, Arch: "arm64", Version: "1.0.0", StagingID: id, Percentage: 25})
	}
	for _, edge := range []string{"3fffffff", "40000000", "00000000", "ffffffff"} {
		apps = append(apps, app{Feed: feed, Arch: "x64", Version: "1.0.0", StagingID: "6ba7b810-9dad-51d1-80b4-00c0" + edge, Percentage: 25})
	}
	reached := 0
	for i, o := range r.look(apps...) {
		if o.Error != "" || o.Available != o.InRollout {
			t.Errorf("%s: the app would say %t: %s", apps[i].StagingID, o.InRollout, o)
		}
		if o.Available {
			reached++
		}
	}
	if reached < 5 || reached > 30 {
		t.Errorf("25 %% reach %d of %d", reached, len(apps))
	}
}

// TestTheFeedOfAReleaseIsNotBelieved: the site's own names the checksums of the bytes, where
// there is none, and where it is older than the archives or no feed at all.
func TestTheFeedOfAReleaseIsNotBelieved(t *testing.T) {
	r := start(t)
	feed := r.serve() + "/api/updates"
	for _, tc := range []struct {
		version string
		spoil   func([]github.Asset) []github.Asset
	}{
		{"2.0.0", func(a []github.Asset) []github.Asset { return a[:4] }},
		{"2.1.0", func(a []github.Asset) []github.Asset {
			// Signed again after the feed was written.
			a[4].Content = []byte(strings.NewReplacer(sha(a[2].Content), sha([]byte("before")), sha(a[3].Content), sha([]byte("before"))).Replace(string(a[4].Content)))
			return a
		}},
		{"2.2.0", func(a []github.Asset) []github.Asset {
			a[4].Content = []byte("<html>Unicorn!</html>")
			return a
		}},
	} {
		want := archives(tc.version)
		r.github.Put(github.Release{Tag: "v" + tc.version, Published: time.Now(), Assets: tc.spoil(github.Build(tc.version))})
		r.offer(tc.version)
		for _, arch := range []string{"arm64", "x64"} {
			if o := r.look(app{Feed: feed, Arch: arch, Version: "1.0.0", Install: true})[0]; o.Error != "" || o.Version != tc.version || o.Installed != want[arch] {
				t.Errorf("%s for %s: %s", tc.version, arch, o)
			}
		}
	}
}

// TestTheSecondUpdateIsDownloadedWhole: an app that has updated before first asks
// for a block map, of which there is none.
func TestTheSecondUpdateIsDownloadedWhole(t *testing.T) {
	r := start(t)
	feed, home := r.serve()+"/api/updates", t.TempDir()
	for _, step := range []struct{ from, to string }{{"0.9.0", "1.0.0"}, {"1.0.0", "1.1.0"}} {
		r.offer(step.to)
		o := r.look(app{Feed: feed, Arch: "arm64", Version: step.from, Home: home, Install: true})[0]
		if o.Error != "" || o.Installed != archives(step.to)["arm64"] {
			t.Errorf("to %s: %s\n%s", step.to, o, strings.Join(o.Log, "\n"))
		}
	}
}

// TestTheFeedIsForOneApp: nothing in between may tell another app of it, or tell it
// again without asking.
func TestTheFeedIsForOneApp(t *testing.T) {
	r := start(t)
	base := r.serve()
	r.offer("1.1.0")
	resp, body := r.fetch(base + "/api/updates/latest-mac.yml?noCache=1jb4k2m3v")
	if resp.Header.Get("Cache-Control") != "no-cache" || resp.Header.Get("Vary") != "X-User-Staging-Id, X-App-Version" || resp.Header.Get("Content-Type") != "application/yaml" {
		t.Errorf("headers %v", resp.Header)
	}
	for _, want := range []string{`version: "1.1.0"`, `url: "/api/download/1.1.0/Fledge-1.1.0-arm64-mac.zip"`, `url: "/api/download/1.1.0/Fledge-1.1.0-x64-mac.zip"`, `minimumSystemVersion: "21.0.0"`, `releaseDate: "2026-10-12T09:30:00Z"`} {
		if !strings.Contains(body, want) {
			t.Errorf("lacks %s:\n%s", want, body)
		}
	}
	if strings.Contains(body, "stagingPercentage") {
		t.Errorf("the client would decide again:\n%s", body)
	}
	stats, err := r.client.GetStats(r.admin(), &releasesv1.GetStatsRequest{})
	if err != nil || stats.GetTotal() != 0 {
		t.Errorf("looking counts: %v, %v", stats, err)
	}
}
