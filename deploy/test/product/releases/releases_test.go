package releases

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/errtest"

	"fledge.dev/deploy/standins/github"
	"fledge.dev/services/platform/waittest"
)

func versions(list map[string]*releasesv1.Release) []string {
	return slices.Sorted(maps.Keys(list))
}

func TestThePublishedReleasesArriveDisabled(t *testing.T) {
	r := start(t)
	list, err := r.list()
	errtest.None(t, err)
	if got, want := versions(list), []string{"1.0.0", "1.1.0", "1.2.0-beta.1"}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v: the token sees the draft, but nobody else may", got, want)
	}
	one := list["1.1.0"]
	if one.GetName() != "Fledge 1.1.0" || one.GetDownloadCount() != 148+61 || one.GetIsAvailable() || len(one.GetAssets()) != 5 {
		t.Errorf("got %v", one)
	}
	r.buttons("")
}

func TestTheDownloadIsTheVeryFile(t *testing.T) {
	r := start(t)
	r.enable("1.2.0-beta.1") // a prerelease, which the site never offers
	r.enable("1.1.0")
	r.enable("1.0.0")
	r.buttons("1.1.0")
	for i, name := range []string{"Fledge-1.1.0-arm64.dmg", "Fledge-1.1.0-x64.dmg"} {
		got, err := r.client.ResolveDownload(t.Context(), &releasesv1.ResolveDownloadRequest{Version: "1.1.0", Filename: name})
		errtest.None(t, err)
		content := github.Build("1.1.0")[i].Content
		if got.GetSize() != int64(len(content)) {
			t.Errorf("size %d, want %d", got.GetSize(), len(content))
		}
		c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := c.Get(got.GetUrl())
		errtest.None(t, err)
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || !bytes.Equal(body, content) || resp.Header.Get("Content-Disposition") != "attachment; filename="+name {
			t.Errorf("%s: %d bytes as %q, %v", name, len(body), resp.Header.Get("Content-Disposition"), err)
		}
	}
}

func TestLookingAgainIsFree(t *testing.T) {
	r := start(t)
	before := r.github.Usage()
	for range 5 {
		if _, err := r.list(); err != nil {
			t.Fatal(err)
		}
	}
	after := r.github.Usage()
	if asked := after.Requests - before.Requests; asked < 5 || after.NotModified-before.NotModified != asked {
		t.Errorf("%d requests, %d of them not modified", asked, after.NotModified-before.NotModified)
	}
	if after.Charged != before.Charged {
		t.Errorf("%d requests were charged", after.Charged-before.Charged)
	}
}

func TestWhatChangesOnGitHubChangesHere(t *testing.T) {
	r := start(t)
	r.enable("1.1.0")

	r.github.Put(github.Release{Tag: "v1.10.0", Name: "Fledge 1.10.0", Published: time.Now(), Assets: github.Build("1.10.0")})
	r.enable("1.10.0")
	r.buttons("1.10.0")

	newest := r.github.Releases()[0]
	newest.Assets[0].State = "starter"                                    // arm64 is being uploaded again
	newest.Assets[1].URL = "http://169.254.169.254/Fledge-1.10.0-x64.dmg" // x64 lies
	r.github.Put(newest)
	r.await("an unfinished and a lying asset not to be offered", func() bool {
		_, listErr := r.list()
		got, err := r.offers()
		return listErr == nil && err == nil && len(got) == 2 && got[releasesv1.Arch_ARCH_ARM64] == "Fledge-1.1.0-arm64.dmg"
	})

	r.github.Remove(newest.ID)
	r.await("a deleted release to go", func() bool {
		list, err := r.list()
		return err == nil && list["1.10.0"] == nil
	})
	r.buttons("1.1.0")
}

func TestTroubleAtGitHubIsNotOurs(t *testing.T) {
	for name, fault := range map[string]github.Fault{
		"errors":  {Status: http.StatusBadGateway, Body: "<html>Unicorn!</html>"},
		"hang-up": {Hangup: true},
		"silence": {Delay: time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			r.github.Put(github.Release{Tag: "v3.0.0", Published: time.Now(), Assets: github.Build("3.0.0")})
			r.github.SetFault(fault)
			began := time.Now()
			r.enable("1.1.0")
			if waited := time.Since(began); waited > 30*time.Second {
				t.Errorf("an admin waited %s", waited)
			}
			r.buttons("1.1.0")

			r.github.SetFault(github.Fault{})
			waittest.Eventually(r.t, "recovery", func() bool {
				passed := r.pass(15 * time.Second)
				list, err := r.list()
				return passed == nil && err == nil && list["3.0.0"] != nil
			})
		})
	}
}

func TestTheRateLimitIsWaitedOut(t *testing.T) {
	r := start(t)
	r.github.ExhaustRateLimit(r.clock.Now().Add(10 * time.Minute))
	if list, err := r.list(); err != nil || len(list) != 3 {
		t.Fatalf("%v, %v", versions(list), err)
	}
	asked := r.github.Usage().Requests
	errtest.None(t, r.pass(9*time.Minute))
	if list, err := r.list(); err != nil || len(list) != 3 {
		t.Fatalf("%v, %v", versions(list), err)
	}
	if got := r.github.Usage().Requests; got != asked {
		t.Errorf("asked %d times more during the pause", got-asked)
	}
}
