package support_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	supportv1 "fledge.dev/proto/gen/go/fledge/support/v1"
	"fledge.dev/services/platform/waittest"
)

const webhookSecret = "a secret of thirty-two bytes or more"

// TestTheWebhookIsTold of a new ticket and of a message, signed, when it is there again and after the
// process was killed.
func TestTheWebhookIsTold(t *testing.T) {
	var mu sync.Mutex
	var bodies []string
	down := true
	// Another test may still ask for a health route at the port that this server has been given.
	paths := http.NewServeMux()
	paths.HandleFunc("POST /hook", func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(req.Body)
		at, signature, _ := strings.Cut(req.Header.Get("Fledge-Signature"), ",v1=")
		mac := hmac.New(sha256.New, []byte(webhookSecret))
		_, _ = io.WriteString(mac, strings.TrimPrefix(at, "t=")+"."+string(body))
		if signature != hex.EncodeToString(mac.Sum(nil)) {
			t.Errorf("signed %q", req.Header.Get("Fledge-Signature"))
		}
		if down {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		bodies = append(bodies, string(body))
	})
	hook := httptest.NewServer(paths)
	defer hook.Close()
	r := newRig(t)
	r.environ["TICKET_WEBHOOK_URL"], r.environ["TICKET_WEBHOOK_SECRET"] = hook.URL+"/hook", webhookSecret
	doomed := r.spawn()
	customer := r.asUser("ada@example.com")
	made := r.openTicket(customer, doomed, "private words")
	if _, err := doomed.ReplyToTicket(customer, &supportv1.ReplyToTicketRequest{Id: made.GetId(), Message: "more private words", IdempotencyKey: "k"}); err != nil {
		t.Fatal(err)
	}
	waittest.Eventually(t, "a call has failed", func() bool { return r.count("SELECT count(*) FROM webhook_calls WHERE attempts > 0") > 0 })
	doomed.kill()
	mu.Lock()
	down = false
	mu.Unlock()
	r.exec("UPDATE webhook_calls SET next_at = now()")
	r.serve()
	waittest.Eventually(t, "the webhook has taken all", func() bool { return r.count("SELECT count(*) FROM webhook_calls") == 0 })
	mu.Lock()
	defer mu.Unlock()
	types := map[string]bool{}
	for _, body := range bodies {
		var told struct {
			Type   string
			Ticket struct{ Number, URL string }
		}
		if err := json.Unmarshal([]byte(body), &told); err != nil || told.Ticket.Number != "TKT-000001" || !strings.HasSuffix(told.Ticket.URL, "/admin?tab=tickets&ticket="+made.GetId()) {
			t.Errorf("told %s, %v", body, err)
		}
		if types[told.Type] = true; strings.Contains(body, "private") || strings.Contains(body, "ada@") {
			t.Errorf("told too much: %s", body)
		}
	}
	if len(bodies) != 2 || !types["ticket.opened"] || !types["ticket.replied"] {
		t.Errorf("told %q", bodies)
	}
}

// TestAWebhookThatIsSwitchedOffLeavesNoCalls, of which the alert would tell for good.
func TestAWebhookThatIsSwitchedOffLeavesNoCalls(t *testing.T) {
	r := newRig(t)
	r.environ["TICKET_WEBHOOK_URL"], r.environ["TICKET_WEBHOOK_SECRET"] = "http://127.0.0.1:1/hook", webhookSecret
	doomed := r.spawn()
	r.openTicket(r.asUser("ada@example.com"), doomed, "help")
	doomed.kill()
	if n := r.count("SELECT count(*) FROM webhook_calls"); n != 1 {
		t.Fatalf("%d calls are stored", n)
	}
	r.exec("UPDATE webhook_calls SET created_at = now() - interval '1 hour'")
	delete(r.environ, "TICKET_WEBHOOK_URL")
	r.serve()
	waittest.Eventually(t, "no call is left", func() bool { return r.count("SELECT count(*) FROM webhook_calls") == 0 })
}
