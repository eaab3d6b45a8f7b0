package releases

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	waitlistv1 "fledge.dev/proto/gen/go/fledge/waitlist/v1"
	"fledge.dev/services/platform/errtest"
)

// TestAnAppFollowsThePersonsChannel that they were approved with or that staff gave, to the beta and back, by
// what the site answers the person. While the waitlist is away it answers nothing, so that the app stays.
func TestAnAppFollowsThePersonsChannel(t *testing.T) {
	r := start(t)
	base := r.serve()
	r.offer("1.1.0")
	r.enable("1.2.0-beta.1")
	r.await("the checksums of the beta", func() bool {
		resp, err := r.client.GetUpdate(t.Context(), &releasesv1.GetUpdateRequest{Channel: releasesv1.Channel_CHANNEL_BETA})
		return err == nil && resp.GetUpdate().GetVersion() == "1.2.0-beta.1"
	})
	r.clock.Advance(shown)
	id, token := r.issuer.User("ann@example.com")
	const none = releasesv1.Channel_CHANNEL_UNSPECIFIED
	for _, step := range []struct {
		group    waitlistv1.Channel
		given    releasesv1.Channel // none for what it was
		channel  string
		from, to string
	}{
		{waitlistv1.Channel_CHANNEL_BETA, none, "beta", "1.1.0", "1.2.0-beta.1"},
		{waitlistv1.Channel_CHANNEL_UNSPECIFIED, none, "latest", "1.2.0-beta.1", "1.1.0"},
		{waitlistv1.Channel_CHANNEL_UNSPECIFIED, releasesv1.Channel_CHANNEL_BETA, "beta", "1.1.0", "1.2.0-beta.1"},
		{waitlistv1.Channel_CHANNEL_BETA, releasesv1.Channel_CHANNEL_STABLE, "latest", "1.2.0-beta.1", "1.1.0"},
	} {
		r.waitlist.channel.Store(int32(step.group))
		if step.given != none {
			_, err := r.client.SetUserChannel(r.admin(), &releasesv1.SetUserChannelRequest{UserId: id, Channel: step.given, Reason: "helps us test"})
			errtest.None(t, err)
		}
		// What the app remembers of the first step makes "latest" of "stable".
		status, answer := r.channelOf(base, token)
		channel := strings.Replace(answer, "stable", "latest", 1)
		o := r.look(app{Feed: base + "/api/updates", Arch: "arm64", Version: step.from, Channel: channel, AllowDowngrade: true, Install: true})[0]
		if status != http.StatusOK || channel != step.channel || o.Error != "" || o.Version != step.to || o.Installed != archives(step.to)["arm64"] {
			t.Errorf("%+v: %d, on %q: %s", step, status, channel, o)
		}
	}
	r.waitlist.away.Store(true)
	if status, channel := r.channelOf(base, token); status != http.StatusServiceUnavailable || channel != "" {
		t.Errorf("while the waitlist is away: %d, %q", status, channel)
	}
}

// channelOf is what the site answers whoever has the token.
func (r *rig) channelOf(base, token string) (status int, channel string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, base+"/api/get-update-channel", nil)
	errtest.None(r.t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := plain.Do(req)
	errtest.None(r.t, err)
	defer func() { _ = resp.Body.Close() }()
	var own struct{ Channel string }
	if err := json.NewDecoder(resp.Body).Decode(&own); err != nil {
		r.t.Fatalf("the channel: %s, %v", resp.Status, err)
	}
	return resp.StatusCode, own.Channel
}
