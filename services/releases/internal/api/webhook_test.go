package api_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"

	releasesv1 "fledge.dev/proto/gen/go/fledge/releases/v1"
	"fledge.dev/services/platform/errtest"
	"fledge.dev/services/platform/fault"
	"fledge.dev/services/platform/waittest"
)

func TestTheWebhookBringsNews(t *testing.T) {
	r := newRig(t)
	deliver := func(client releasesv1.ReleasesServiceClient, body, event string) error {
		mac := hmac.New(sha256.New, []byte(hookSecret))
		mac.Write([]byte(body))
		_, err := client.ReceiveGitHubEvent(t.Context(), &releasesv1.ReceiveGitHubEventRequest{
			Payload: []byte(body), Event: event, Signature: "sha256=" + hex.EncodeToString(mac.Sum(nil)),
		})
		return err
	}
	const body = `{"action":"deleted","repository":{"full_name":"fledge/fledge-mac"}}`
	wanted := func() int64 { return r.query(`SELECT count(*) FROM github_sync`) }

	if err := deliver(r.client, body, "release"); !errors.Is(err, fault.NotFound) {
		t.Errorf("past the gateway: %v", err)
	}
	_, err := r.gateway.ReceiveGitHubEvent(t.Context(), &releasesv1.ReceiveGitHubEventRequest{Payload: []byte(body), Event: "release", Signature: "sha256=00"})
	if !errors.Is(err, fault.Invalid) {
		t.Errorf("a forgery: %v", err)
	}
	if err := deliver(r.gateway, `{"zen":"x"}`, "ping"); err != nil {
		t.Errorf("a ping: %v", err)
	}
	if wanted() != 0 {
		t.Error("GitHub is asked for nothing")
	}
	r.github.set(nil, made(1, "1.0.0"))
	errtest.None(t, deliver(r.gateway, body, "release"))
	waittest.Eventually(t, "the news", func() bool { return r.query(`SELECT count(*) FROM releases`) > 0 })
}

func TestWhoDoesNotRunTheWebhookSaysSo(t *testing.T) {
	r := newRigWith(t, "")
	_, err := r.gateway.ReceiveGitHubEvent(t.Context(), &releasesv1.ReceiveGitHubEventRequest{Signature: "sha256=00", Event: "release"})
	if !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
}
