package natsserver_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
)

// TestTheServerItselfSaysThatItKeepsWhatItAcknowledges asks the running server, whatever
// the file says. Streams and consumers: see bus.
func TestTheServerItselfSaysThatItKeepsWhatItAcknowledges(t *testing.T) {
	r := newRig(t)
	var got struct {
		Version    string `json:"version"`
		MaxPayload int    `json:"max_payload"`
		Auth       bool   `json:"auth_required"`
		TLS        bool   `json:"tls_required"`
		TLSVerify  bool   `json:"tls_verify"`
		JetStream  struct {
			Config struct {
				SyncAlways bool  `json:"sync_always"`
				MaxMemory  int64 `json:"max_memory"`
			} `json:"config"`
		} `json:"jetstream"`
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.monitor+"/varz", nil)
	errtest.None(t, err)
	resp, err := (&http.Client{Timeout: time.Minute}).Do(req)
	errtest.None(t, err)
	errtest.None(t, errors.Join(json.NewDecoder(resp.Body).Decode(&got), resp.Body.Close()))
	if !got.JetStream.Config.SyncAlways || got.MaxPayload != 256<<10 || !got.Auth || !got.TLS || !got.TLSVerify || got.JetStream.Config.MaxMemory != 16<<20 {
		t.Errorf("%+v", got)
	}
}
