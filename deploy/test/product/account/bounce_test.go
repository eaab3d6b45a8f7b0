package account

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"fledge.dev/services/platform/errtest"
)

const reportsSecret = "01234567890123456789012345678901"

// bounce has the mail provider report that emails to the addresses bounced.
func bounce(t *testing.T, site string, addresses ...string) {
	t.Helper()
	var events []map[string]any
	for _, address := range addresses {
		events = append(events, map[string]any{"id": "bounce-" + address, "email": address, "kind": "bounced", "at": time.Now().UTC()})
	}
	body, err := json.Marshal(map[string]any{"events": events})
	errtest.None(t, err)
	at := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(reportsSecret))
	mac.Write([]byte(at + "."))
	mac.Write(body)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, site+"/api/mail-webhook/generic", bytes.NewReader(body))
	errtest.None(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Fledge-Signature", "t="+at+",v1="+hex.EncodeToString(mac.Sum(nil)))
	resp, err := (&http.Client{Timeout: time.Minute}).Do(req)
	errtest.None(t, err)
	errtest.None(t, resp.Body.Close())
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the report of a bounce: %s", resp.Status)
	}
}
