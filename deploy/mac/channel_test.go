package mac_test

import (
	"net/http"
	"testing"

	"fledge.dev/services/platform/errtest"
)

// channels is a site that has given the person a channel; "" answers nothing.
type channels struct {
	fakeSite
	channel string
}

func (s *channels) RoundTrip(req *http.Request) (*http.Response, error) {
	switch {
	case req.URL.Path != "/api/get-update-channel":
		return s.fakeSite.RoundTrip(req)
	case s.channel == "" || req.Header.Get("Authorization") == "":
		return answer(503, map[string]string{"error": "Out of order.", "code": "unavailable"})
	}
	return answer(200, map[string]any{"channel": s.channel, "isPrerelease": false, "downloads": map[string]any{}})
}

// TestAMacFollowsThePersonsChannel there and back, and one that never had a channel names none.
func TestAMacFollowsThePersonsChannel(t *testing.T) {
	site := &channels{channel: "stable"}
	c := client(t, site)
	signIn(t, c)
	for _, step := range []struct{ given, want string }{
		{"stable", ""}, {"", ""}, {"beta", "beta"}, {"", "beta"}, {"nightly", "beta"}, {"stable", "latest"}, {"stable", "latest"}, {"alpha", "alpha"},
	} {
		site.channel = step.given
		if got, err := c.Channel(t.Context()); err != nil || got != step.want {
			t.Errorf("given %q: %q, %v; want %q", step.given, got, err, step.want)
		}
	}
	errtest.None(t, c.SignOut(t.Context()))
	if got, err := c.Channel(t.Context()); err != nil || got != "alpha" {
		t.Errorf("signed out: %q, %v", got, err)
	}
}
