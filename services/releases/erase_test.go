package releases_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/authn"
	"fledge.dev/services/platform/authntest"
	"fledge.dev/services/platform/bustest"
	"fledge.dev/services/platform/config"
	"fledge.dev/services/platform/erasure"
	"fledge.dev/services/platform/erasuretest"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/logtest"
	"fledge.dev/services/platform/pgtest"
	"fledge.dev/services/platform/servicetest"
	"fledge.dev/services/platform/waittest"
	"fledge.dev/services/releases"
)

// TestADeletedAccountLeavesNothing but the answer, which names its id for a week; also when the
// process is killed between any two steps.
func TestADeletedAccountLeavesNothing(t *testing.T) {
	issuer, nats, databaseURL := authntest.New(t, nil), bustest.Start(t), pgtest.NewEmpty(t)
	gitHub := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, strings.ReplaceAll(page, "%s", r.Host))
	}))
	t.Cleanup(gitHub.Close)
	cfg, err := config.Load[releases.Config](environment(t, "DATABASE_URL="+databaseURL, "NATS_URL="+nats.URL(),
		"IDENTITY_ADDR="+servicetest.Identity(t, issuer), "GRPC_ADDR=127.0.0.1:0", "GITHUB_API_URL="+gitHub.URL))
	errtest.None(t, err)
	client := run(t, &logtest.Log{}, cfg)
	pool := pgtest.Open(t, databaseURL)
	// person switches a release and has a channel, which is all that the service knows of anybody.
	person := func(email string, available bool) erasure.Account {
		id, token := issuer.Admin(email)
		as := authn.WithPrincipal(t.Context(), authn.Principal{Bearer: token})
		waittest.Eventually(t, "the release is switched", func() bool {
			_, err := client.SetAvailability(as, &releasesv1.SetAvailabilityRequest{ReleaseId: 7, Version: "1.0.0", IsAvailable: available})
			return err == nil
		})
		if _, err := client.SetUserChannel(as, &releasesv1.SetUserChannelRequest{UserId: id, Channel: releasesv1.Channel_CHANNEL_BETA, Reason: "tests"}); err != nil {
			t.Fatal(err)
		}
		return erasure.Account{ID: uuid.MustParse(id), Emails: []string{email}}
	}
	ann, joann := person("ann@example.com", true), person("joann@example.com", false)
	others := erasuretest.Search(t, pool, joann.Words()...)
	erasuretest.Kill(t, pool, "inbox", "inbox", "user_channels", "outbox")
	for n := range 2 { // the second is a repetition
		erasuretest.Delete(t, nats, pool, "releases", ann)
		if n == 0 {
			erasuretest.Killed(t, pool, "inbox", "user_channels", "outbox")
		}
		if found := erasuretest.Search(t, pool, ann.Emails...); len(found) != 0 {
			t.Errorf("an address is still in %q", found)
		}
		if found := erasuretest.Search(t, pool, ann.ID.String()); !slices.Equal(found, []string{"outbox.subject", "outbox.payload"}) {
			t.Errorf("the id is in %q", found)
		}
	}
	if found := erasuretest.Search(t, pool, joann.Words()...); len(found) == 0 || !slices.Equal(found, others) {
		t.Errorf("the other person is in %q, was in %q", found, others)
	}
	if n := len(nats.Published("releases", "fledge.releases.v1.staff.action")); n != 2 {
		t.Errorf("%d events of staff are left, want the other person's two", n)
	}
}
