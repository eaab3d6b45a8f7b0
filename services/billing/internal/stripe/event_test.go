package stripe_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stripe/stripe-go/v85/webhook"

	"fledge.dev/services/billing/internal/stripe"
)

const payload = `{"id":"evt_1","object":"event","type":"invoice.paid","livemode":false,"created":1772323200,"data":{"object":{"id":"in_1"}}}`

var now = time.Unix(1772323200, 0)

func sign(secret string, at time.Time, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	return hex.EncodeToString(mac.Sum(nil))
}

func header(at time.Time, signatures ...string) string {
	return fmt.Sprintf("t=%d,v1=%s", at.Unix(), strings.Join(signatures, ",v1="))
}

func TestOnlyWhatStripeSignedIsTaken(t *testing.T) {
	t.Parallel()
	v := stripe.NewVerifier(stripe.Config{SecretKey: testKey, WebhookSecrets: secret + "," + oldSecret})
	good := sign(secret, now, payload)
	late := func(d time.Duration) string { return header(now.Add(d), sign(secret, now.Add(d), payload)) }
	for name, tc := range map[string]struct {
		header string
		ok     bool
	}{
		"good":                       {header(now, good), true},
		"signed by Stripe's own SDK": {webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: []byte(payload), Secret: secret, Timestamp: now}).Header, true},
		"the old secret":             {header(now, sign(oldSecret, now, payload)), true},
		"the second of two":          {header(now, sign(foreign, now, payload), good), true},
		"another scheme besides":     {header(now, good) + ",v0=abc", true},
		"299 s old":                  {late(-299 * time.Second), true},
		"300 s old":                  {late(-300 * time.Second), true},
		"301 s old":                  {late(-301 * time.Second), false},
		"300 s ahead":                {late(300 * time.Second), true},
		"301 s ahead":                {late(301 * time.Second), false},
		"an hour ahead":              {late(time.Hour), false},
		"another secret":             {header(now, sign(foreign, now, payload)), false},
		"another body":               {header(now, sign(secret, now, payload+" ")), false},
		"another time":               {fmt.Sprintf("t=%d,v1=%s", now.Unix()+1, good), false},
		"a short signature":          {header(now, good[:62]), false},
		"no signature":               {fmt.Sprintf("t=%d", now.Unix()), false},
		"only v0":                    {fmt.Sprintf("t=%d,v0=%s", now.Unix(), good), false},
		"no time":                    {"v1=" + good, false},
		"a word for a time":          {"t=abc,v1=" + good, false},
		"a negative time":            {"t=-1,v1=" + good, false},
		"a huge time":                {"t=99999999999999999999,v1=" + good, false},
		"two times":                  {fmt.Sprintf("t=%d,", now.Unix()) + header(now, good), false},
		"empty":                      {"", false},
		"garbage":                    {"garbage", false},
		"8 KiB of garbage":           {strings.Repeat("x", 8<<10), false},
		"20 signatures":              {header(now, append(strings.Split(strings.Repeat("00 ", 19), " ")[:19], good)...), true},
		"1,000 signatures":           {header(now, strings.Split(strings.Repeat(good+" ", 1000), " ")...), false},
		"9 KiB":                      {header(now, good) + ",v0=" + strings.Repeat("0", 9<<10), false},
	} {
		ev, err := v.Verify([]byte(payload), tc.header, now)
		if tc.ok && (err != nil || ev.ID != "evt_1" || ev.Type != "invoice.paid" || ev.Object != "in_1" || ev.Live) {
			t.Errorf("%s: %+v, %v", name, ev, err)
		}
		if !tc.ok && !errors.Is(err, stripe.ErrSignature) {
			t.Errorf("%s: %+v, %v; want it refused", name, ev, err)
		}
	}
}

func TestNothingIsValidWithoutASecret(t *testing.T) {
	t.Parallel()
	if _, err := stripe.NewVerifier(stripe.Config{}).Verify([]byte(payload), header(now, sign("", now, payload)), now); !errors.Is(err, stripe.ErrSignature) {
		t.Errorf("got %v", err)
	}
}

func TestSignedNonsenseIsMalformed(t *testing.T) {
	t.Parallel()
	v := stripe.NewVerifier(stripe.Config{SecretKey: testKey, WebhookSecrets: secret})
	for _, body := range []string{
		``, `null`, `{`, `[]`, `{}`, `"evt_1"`, strings.Replace(payload, `"event"`, `"invoice"`, 1), strings.Replace(payload, "evt_1", "", 1),
		strings.Replace(payload, "evt_1", "in_1", 1), strings.Replace(payload, "evt_1", `evt_\u0000`, 1), strings.Replace(payload, "evt_1", "evt_/../x", 1),
		strings.Replace(payload, `"livemode":false`, `"livemode":"no"`, 1), strings.Replace(payload, `"livemode":false,`, ``, 1),
		strings.Replace(payload, "invoice.paid", strings.Repeat("x", 256), 1),
	} {
		if _, err := v.Verify([]byte(body), header(now, sign(secret, now, body)), now); !errors.Is(err, stripe.ErrMalformed) {
			t.Errorf("%s: %v", body, err)
		}
	}
	thin := `{"id":"evt_test_1","object":"v2.core.event","type":"v1.invoice.paid","livemode":false,"created":"2026-03-01T00:00:00Z","related_object":{"id":"in_1","type":"invoice","url":"/v1/invoices/in_1"}}`
	if _, err := v.Verify([]byte(thin), header(now, sign(secret, now, thin)), now); !errors.Is(err, stripe.ErrThin) {
		t.Errorf("a thin event: %v", err)
	}
	// An event of a connected account says whose it is.
	for _, account := range []string{"", "acct_2"} {
		body := strings.Replace(payload, `"livemode"`, `"account":"`+account+`","livemode"`, 1)
		if ev, err := v.Verify([]byte(body), header(now, sign(secret, now, body)), now); err != nil || ev.Account != account {
			t.Errorf("of %q: %+v, %v", account, ev, err)
		}
	}
	// What an event is about may be missing or have no id; it is an event still.
	for _, data := range []string{`null`, `{"object":{}}`, `{"object":{"id":"../../customers"}}`, `{"object":[]}`} {
		body := strings.Replace(payload, `{"object":{"id":"in_1"}}`, data, 1)
		if ev, err := v.Verify([]byte(body), header(now, sign(secret, now, body)), now); err != nil || ev.Object != "" {
			t.Errorf("%s: %+v, %v", data, ev, err)
		}
	}
}

func FuzzVerify(f *testing.F) {
	v := stripe.NewVerifier(stripe.Config{SecretKey: testKey, WebhookSecrets: secret})
	f.Add(payload, header(now, sign(foreign, now, payload)))
	f.Fuzz(func(t *testing.T, body, head string) {
		if _, err := v.Verify([]byte(body), head, now); err == nil && !strings.Contains(head, sign(secret, now, body)) {
			t.Errorf("%q was taken with %q", body, head)
		}
	})
}

// FuzzEvent signs any body: what counts as an event has an id and a type that fit into
// paths, logs and the database, and reads the same in whatever form JSON has for it.
func FuzzEvent(f *testing.F) {
	v := stripe.NewVerifier(stripe.Config{SecretKey: testKey, WebhookSecrets: secret})
	for _, body := range []string{
		payload, `{}`, `null`, strings.Replace(payload, "in_1", "../../customers", 1), strings.Replace(payload, "evt_1", `evt_\u0000`, 1), strings.Replace(payload, "1772323200", "1e300", 1),
		strings.Replace(payload, `"id"`, `"ID"`, 1), payload + payload, strings.Replace(payload, `"data"`, `"data":null,"data"`, 1), strings.Replace(payload, "1772323200", "-99999999999999", 1),
	} {
		f.Add(body)
	}
	word := regexp.MustCompile(`^[A-Za-z0-9_.-]{1,255}$`)
	f.Fuzz(func(t *testing.T, body string) {
		ev, err := v.Verify([]byte(body), header(now, sign(secret, now, body)), now)
		if err != nil {
			if !errors.Is(err, stripe.ErrMalformed) && !errors.Is(err, stripe.ErrThin) || ev != (stripe.Event{}) {
				t.Fatalf("%q: %+v, %v", body, ev, err)
			}
			return
		}
		if !strings.HasPrefix(ev.ID, "evt_") || !word.MatchString(ev.ID) || !word.MatchString(ev.Type) || ev.Object != "" && !word.MatchString(ev.Object) {
			t.Fatalf("%q is the event %+v", body, ev)
		}
		if year := ev.Created.UTC().Year(); year < 0 || year > 9999 {
			t.Fatalf("%q is of the year %d, which PostgreSQL cannot hold", body, year)
		}
	})
}
