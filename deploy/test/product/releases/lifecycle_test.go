package releases

import (
	"fmt"
	"strings"
	"testing"
	"time"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"

	"fledge.dev/deploy/standins/github"
)

// TestWhatBecomesOfARelease walks releases through everything that happens to them
// on GitHub. After each step: the list that staff see, and the version that apps
// and buttons are offered.
func TestWhatBecomesOfARelease(t *testing.T) {
	r := start(t)
	published := time.Now()
	put := func(change github.Release) github.Release {
		if change.Assets == nil {
			change.Assets = github.Build(strings.TrimPrefix(change.Tag, "v"))
		}
		if !change.Draft {
			published = published.Add(time.Minute)
			change.Published = published
		}
		return r.github.Put(change)
	}
	var two github.Release
	for _, step := range []struct {
		what          string
		do            func()
		list, offered string
	}{
		{"nothing is offered by itself", func() {}, "1.0.0 1.1.0 1.2.0-beta.1", ""},
		{"staff offer a release", func() { r.offer("1.1.0") }, "1.0.0 1.1.0 1.2.0-beta.1", "1.1.0"},
		{"staff offer a beta", func() { r.enable("1.2.0-beta.1") }, "1.0.0 1.1.0 1.2.0-beta.1", "1.1.0"},
		{"a draft", func() { two = put(github.Release{Tag: "v2.0.0", Draft: true}) }, "1.0.0 1.1.0 1.2.0-beta.1", "1.1.0"},
		{"the draft is published", func() { two.Draft = false; two = put(two) }, "1.0.0 1.1.0 1.2.0-beta.1 2.0.0", "1.1.0"},
		{"staff offer it", func() { r.offer("2.0.0") }, "1.0.0 1.1.0 1.2.0-beta.1 2.0.0", "2.0.0"},
		{"it is marked a prerelease", func() { two.Prerelease = true; two = put(two) }, "1.0.0 1.1.0 1.2.0-beta.1 2.0.0", "1.1.0"},
		{"and unmarked", func() { two.Prerelease = false; two = put(two) }, "1.0.0 1.1.0 1.2.0-beta.1 2.0.0", "2.0.0"},
		{"it is a draft again", func() { two.Draft = true; two = put(two) }, "1.0.0 1.1.0 1.2.0-beta.1", "1.1.0"},
		{"and published again", func() { two.Draft = false; two = put(two) }, "1.0.0 1.1.0 1.2.0-beta.1 2.0.0", "2.0.0"},
		{"it is deleted", func() { r.github.Remove(two.ID) }, "1.0.0 1.1.0 1.2.0-beta.1", "1.1.0"},
		{"its tag is made again", func() { two = put(github.Release{Tag: "v2.0.0"}) }, "1.0.0 1.1.0 1.2.0-beta.1 2.0.0", "2.0.0"},
		{"its tag moves on", func() { two.Tag, two.Assets = "v2.0.1", nil; two = put(two) }, "1.0.0 1.1.0 1.2.0-beta.1 2.0.1", "1.1.0"},
		{"broken tags", func() {
			for _, tag := range []string{"latest", "v3", "v3.0", "3.0.0.0", "nightly-3.0.0", "v03.0.0", "vv3.0.0"} {
				put(github.Release{Tag: tag})
			}
		}, "1.0.0 1.1.0 1.2.0-beta.1 2.0.1", "1.1.0"},
		{"one version twice", func() { put(github.Release{Tag: "1.1.0", Assets: github.Build("1.1.0")[:4]}) }, "1.0.0 1.1.0 1.2.0-beta.1 2.0.1", "1.1.0"},
		{"by number", func() { put(github.Release{Tag: "v1.10.0"}); r.offer("1.10.0") }, "1.0.0 1.1.0 1.10.0 1.2.0-beta.1 2.0.1", "1.10.0"},
		{"a prerelease that only GitHub marks", func() { two = put(github.Release{Tag: "v2.1.0", Prerelease: true}); r.enable("2.1.0") }, "1.0.0 1.1.0 1.10.0 1.2.0-beta.1 2.0.1 2.1.0", "1.10.0"},
		{"it is unmarked, which nobody decided", func() {
			two.Prerelease = false
			two = put(two)
			r.await("it to stay on beta", func() bool {
				list, err := r.list()
				return err == nil && list["2.1.0"].GetIsAvailable() && list["2.1.0"].GetPromotedAt() != nil
			})
		}, "1.0.0 1.1.0 1.10.0 1.2.0-beta.1 2.0.1 2.1.0", "1.10.0"},
		{"staff offer it to all", func() { r.choose("2.1.0", releasesv1.Channel_CHANNEL_STABLE) }, "1.0.0 1.1.0 1.10.0 1.2.0-beta.1 2.0.1 2.1.0", "2.1.0"},
		// An empty list would not be believed.
		{"all but one are gone", func() {
			for _, release := range r.github.Releases() {
				if release.Tag != "v1.0.0" {
					r.github.Remove(release.ID)
				}
			}
		}, "1.0.0", ""},
	} {
		step.do()
		r.await(step.what+": staff see "+step.list, func() bool {
			list, err := r.list()
			return err == nil && strings.Join(versions(list), " ") == step.list
		})
		// An upload that is new has its checksum worked out first.
		r.await(step.what+": apps are offered "+step.offered, func() bool {
			resp, err := r.client.GetUpdate(t.Context(), &releasesv1.GetUpdateRequest{})
			return err == nil && resp.GetUpdate().GetVersion() == step.offered
		})
		r.buttons(step.offered)
	}
}

// TestMoreReleasesThanAreRead: the newest are read, and of the others those stay that were there. One
// whose tag moves to each new commit is among the newest, however long ago it was published.
func TestMoreReleasesThanAreRead(t *testing.T) {
	r := start(t)
	r.offer("1.1.0")
	began := time.Now()
	nightly := r.github.Put(github.Release{Tag: "nightly", Prerelease: true, Published: began.AddDate(-2, 0, 0), Created: began.AddDate(0, 0, 1)})
	for i := range 300 {
		at := began.Add(time.Duration(i) * time.Minute)
		r.github.Put(github.Release{Tag: fmt.Sprintf("v2.0.0-alpha.%d", i), Prerelease: true, Published: at, Assets: []github.Asset{}})
	}
	sees := func(what string, ok func(list map[string]*releasesv1.Release) bool) {
		t.Helper()
		r.await(what, func() bool {
			list, err := r.list()
			return err == nil && ok(list)
		})
	}
	sees("the newest are read", func(list map[string]*releasesv1.Release) bool {
		return list["2.0.0-alpha.299"] != nil && list["2.0.0-alpha.0"] == nil
	})
	sees("the others stay", func(list map[string]*releasesv1.Release) bool { return list["1.1.0"] != nil && list["1.0.0"] != nil })
	r.buttons("1.1.0")

	for _, release := range r.github.Releases() {
		if release.Tag == "v2.0.0-alpha.250" {
			r.github.Remove(release.ID)
		}
	}
	nightly.Body = "Moved again."
	r.github.Put(nightly)
	sees("one of the newest is gone", func(list map[string]*releasesv1.Release) bool {
		return list["2.0.0-alpha.250"] == nil && list["2.0.0-alpha.249"] != nil && list["1.1.0"] != nil
	})
}
