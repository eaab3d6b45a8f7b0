package github_test

import (
	"net/url"
	"slices"
	"testing"
	"time"

	"fledge.dev/services/platform/proxytest"
	"fledge.dev/services/releases/internal/github"
)

func TestGitHubIsAskedThroughTheProxyOfTheEnvironment(t *testing.T) {
	asked := proxytest.Asked(t, func() {
		api := &url.URL{Scheme: "https", Host: "api.github.com", Path: "/"}
		client := github.New(github.Repository{
			API: api, Owner: "fledge", Name: "fledge-mac", Token: token, Downloads: github.HostsFor(api, "github.com"),
		}, 10*time.Second)
		if _, err := client.List(t.Context(), nil); err == nil {
			t.Error("no error")
		}
	})
	if want := []string{"api.github.com:443"}; !slices.Equal(asked, want) {
		t.Errorf("a proxy was asked for %v, want %v", asked, want)
	}
}
